import type { Calls } from '@/bench/children'

export type Plan = {
  tokens: number
  /** What stands between two tokens; 0: they come as fast as they can be written. */
  paceMs: number
  /** Each event is written in a turn of the event loop of its own, as tokens are that were made one by one. */
  hasOwnWrites: boolean
  firstTokenMs: number
  tokensPerEvent: number
  /** What a stream says in place of the usual words: four characters a token, each `paceMs` after the one before. */
  text?: string
}

export type MockStats = {
  requests: number
  /** Streams that were not at their end when their connection closed. */
  left: number
  running: number
}

export type MockCalls = Calls & {
  listen: () => Promise<number>
  plan: (plan: Plan) => void
  stats: () => MockStats
}

export const TOKEN = ' tide'

export const answerText = (plan: Pick<Plan, 'tokens'>): string => TOKEN.repeat(plan.tokens)
