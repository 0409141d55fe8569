import { expect } from '@playwright/test'
import type { Answer } from '@/e2e/testing/ask'

/** Looking into answers of the chat interface. */

type Choice = { finish_reason: string; logprobs: unknown; message: Record<string, unknown> }
type ToolCall = { function: { name: string; arguments: string } }
export type Citation = { title: string; url: string; content?: string; date?: string }

export const echoOf = ({ json }: Answer) => json.service_parameters as Record<string, unknown>
export const choicesOf = ({ json }: Answer) => json.choices as Choice[]
export const firstOf = (answer: Answer) => choicesOf(answer)[0]!
export const callsOf = (answer: Answer) => firstOf(answer).message.tool_calls as ToolCall[]
export const textOf = (answer: Answer): string => String(firstOf(answer).message.content ?? '')
export const citationsOf = (answer: Answer) => echoOf(answer).web_search_citations as Citation[]

export const chunksOf = ({ text }: Answer): Record<string, unknown>[] =>
  text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []))

/** The text of a stream, put together. */
export const streamedText = (answer: Answer): string =>
  chunksOf(answer)
    .map(({ choices }) => (choices as { delta: { content?: string } }[])[0]?.delta.content ?? '')
    .join('')

/** Dollars beyond what the tokens of an answer cost, at the prices of the contract's stage. */
export function costBeside({ json }: Pick<Answer, 'json'>): number {
  const { prompt_tokens: input, completion_tokens: output } = json.usage as Record<string, number>
  const { usd } = json.cost as { usd: number }
  return (Math.round(usd * 1e9) - input! * 1_000 - output! * 2_000) / 1e9
}

/** The text of a body that reached the model server, with line breaks as they are. */
export function promptOf(body: Record<string, unknown> | undefined): string {
  const messages = (body?.messages ?? []) as { content: string | { text?: string }[] | null }[]
  return messages
    .map(({ content }) => (typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join('\n')))
    .join('\n\n')
}

/** Every mark of a text names a source of the list, and nothing is left of marks that do not. @returns what it cites */
export function expectCitationsResolve(text: string, citations: Citation[]): string[] {
  const marks = [...text.matchAll(/\[REF\](\d+)\[\/REF\]/g)].map(([, index]) => Number(index))
  for (const index of marks) expect(index).toBeLessThan(citations.length)
  expect(text.replace(/\[REF\]\d+\[\/REF\]/g, '')).not.toMatch(/REF\]/i)
  return marks.map((index) => citations[index]!.url)
}
