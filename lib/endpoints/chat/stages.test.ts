import { expect, test } from 'vitest'
import type { ChatWork } from '@/lib/endpoints/chat/quote'
import { createStages, type StagedRun } from '@/lib/endpoints/chat/stages'

const workOf = (echo: object) => ({ options: { echo, stripsThinking: false }, request: {} }) as ChatWork
const runOf = (more: object = {}) => ({ model: { capabilities: {} }, citations: [], ...more }) as unknown as StagedRun
const said = (text: string) => [
  { type: 'text-delta' as const, choice: 0, text },
  { type: 'choice-end' as const, choice: 0, reason: 'stop' as const },
]
const textOf = (events: { type: string; text?: string }[]) => events.map(({ text = '' }) => text).join('')

test('where citations were asked for and nothing was searched, no mark goes out', () => {
  const stages = createStages(runOf({ asksForCitations: false }), workOf({ enable_web_citations: true }))
  expect(textOf(stages(said('It is so [REF]0[/REF], truly.')))).toBe('It is so, truly.')
})

test('where citations were not asked for, an answer is left as it is', () => {
  const stages = createStages(runOf(), workOf({ enable_web_citations: false }))
  expect(textOf(stages(said('Write [REF]0[/REF] for source 0.')))).toBe('Write [REF]0[/REF] for source 0.')
})
