import { type CodeLine, tokensOf } from '@/components/markdown/highlight/tokens'

export type HighlightQuestion = { id: number; code: string; grammar: string }
export type HighlightAnswer = { id: number; lines?: CodeLine[] }

self.addEventListener('message', ({ data: { id, code, grammar } }: MessageEvent<HighlightQuestion>) => {
  tokensOf(code, grammar).then(
    (lines) => self.postMessage({ id, lines } satisfies HighlightAnswer),
    () => self.postMessage({ id } satisfies HighlightAnswer),
  )
})
