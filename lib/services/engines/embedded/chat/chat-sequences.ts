/** The places of a model: who had each last, and who gets one. Runs in the child process. */
import type { LlamaContextSequence, Token } from 'node-llama-cpp'
import type { ChatRequest } from '../../engine.ts'

/** What was evaluated is kept so long after its last use, then forgotten. Source: API contract, chat.md 10. */
const KEPT_MS = 5 * 60_000

type Context = Pick<LlamaContextSequence, 'compareContextTokens' | 'clearHistory' | 'nextTokenIndex'>

/** One place for a request: a context with what was last evaluated in it, and for whom. */
export type Sequence<C extends Context = LlamaContextSequence> = {
  context: C
  owner?: string
  isBusy: boolean
  usedAt: number
  expiry?: NodeJS.Timeout
}

/**
 * Who may find what a request leaves: the same account, and with a key of its own only with that key. Nobody where the
 * request says neither: a prompt of one must not shorten (nor time) the work for another.
 */
export function ownerOf({ cacheScope, cacheKey }: Pick<ChatRequest, 'cacheScope' | 'cacheKey'>): string | undefined {
  return cacheScope === undefined && cacheKey === undefined ? undefined : JSON.stringify([cacheScope, cacheKey])
}

/**
 * A free place for a request: the one where most of its prompt was evaluated for the same owner, or else one that holds
 * nothing, or else the one that was not used for longest, which is emptied. While one holds nothing, what is kept is not
 * given up for a beginning that all conversations have.
 *
 * @throws Error when none is free; the parent sends no more than there are.
 */
export async function takeSequence<C extends Context>(
  sequences: Sequence<C>[],
  owner: string | undefined,
  prompt: Token[],
): Promise<Sequence<C>> {
  const free = sequences.filter(({ isBusy }) => !isBusy).sort((a, b) => a.usedAt - b.usedAt)
  const empty = free.find((one) => one.owner === undefined)
  const kept = owner === undefined ? undefined : longestMatch(free, owner, prompt, empty !== undefined)
  const sequence = kept ?? empty ?? free[0]
  if (!sequence) throw new Error('more requests than sequences')
  clearTimeout(sequence.expiry)
  sequence.isBusy = true
  sequence.owner = owner
  if (sequence !== kept) await sequence.context.clearHistory()
  return sequence
}

export async function releaseSequence(sequence: Sequence<Context>): Promise<void> {
  // Without an owner nobody may come back to it, so nothing of it is kept.
  if (sequence.owner === undefined) await sequence.context.clearHistory()
  else sequence.expiry = setTimeout(() => void forget(sequence), KEPT_MS).unref()
  sequence.usedAt = Date.now()
  sequence.isBusy = false
}

function longestMatch<C extends Context>(free: Sequence<C>[], owner: string, prompt: Token[], hasEmpty: boolean) {
  const matches = free
    .filter((sequence) => sequence.owner === owner)
    .map((sequence) => ({ sequence, tokens: sequence.context.compareContextTokens(prompt).firstDifferentIndex }))
    .filter(({ sequence, tokens }) => tokens > 0 && (!hasEmpty || tokens * 2 >= sequence.context.nextTokenIndex))
  return matches.sort((a, b) => b.tokens - a.tokens)[0]?.sequence
}

async function forget(sequence: Sequence<Context>): Promise<void> {
  sequence.owner = undefined
  await sequence.context.clearHistory()
}
