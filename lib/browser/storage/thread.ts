import { promptTokens } from '@/lib/browser/spending-cap'
import type { StoredThread } from '@/lib/browser/storage/chats'
import { filesSent, type Message, type Part, type Receipt, type TokenCount } from '@/lib/browser/storage/records'
import { nano, type Usd } from '@/lib/contract/money'

export type ReceiptSum = {
  model: string
  tokens: TokenCount
  cost?: Usd
  durationMs: number
  requestIds: string[]
  at: number
  sources?: number
  sourcesCost?: Usd
  readingCost?: Usd
  character?: string
  branchTokens: number
}

export type Turn = Omit<Message, 'conversationId'> & {
  text: string
  reasoning: string
  receipt?: ReceiptSum
  phase?: 'waiting' | 'thinking' | 'writing'
  thinkingSince?: number
  versions: string[]
  compared?: Turn[]
}

/** Returns the shown branch, first message first: at each fork the remembered child, else the newest. */
export function shownTurns(stored: StoredThread): Turn[] {
  const { conversation, messages } = stored
  const children = Map.groupBy(messages, (message) => message.parentId)
  const turnOf = turnReader(stored)
  const turns: Turn[] = []
  let siblings = children.get('')
  while (siblings && siblings.length > 0) {
    const parentId = siblings[0]?.parentId ?? ''
    // What was shown is not shown again: a ring of parents would have no end.
    children.delete(parentId)
    const shown = siblings.find((message) => message.id === conversation.branches[parentId]) ?? siblings.at(-1)
    if (!shown) break
    const versions = siblings.map((message) => message.id)
    const compared = siblings.filter(({ comparison }) => comparison !== undefined && comparison === shown.comparison)
    turns.push({
      ...turnOf(shown, versions),
      ...(compared.length > 1 && { compared: compared.map((message) => turnOf(message, versions)) }),
    })
    siblings = children.get(shown.id)
  }
  return turns
}

export function turnsTo(stored: StoredThread, messageId: string): Turn[] {
  const turnOf = turnReader(stored)
  return pathTo(stored.messages, messageId).map((message) => turnOf(message, [message.id]))
}

/** Returns a message and all above it, first message first. */
export function pathTo(all: Message[], messageId: string): Message[] {
  const byId = new Map(all.map((message) => [message.id, message]))
  const path: Message[] = []
  // Each step removes its message, so that not even a ring of parents goes on for ever.
  for (let at = byId.get(messageId); at; at = byId.get(at.parentId)) {
    path.unshift(at)
    byId.delete(at.id)
  }
  return path
}

function turnReader({ parts, receipts }: StoredThread) {
  const partsOf = Map.groupBy(parts, (part) => part.messageId)
  const receiptsOf = Map.groupBy(receipts, (receipt) => receipt.messageId)
  return ({ conversationId: _, ...message }: Message, versions: string[]): Turn => {
    const parts = partsOf.get(message.id) ?? []
    const joined = (type: Part['type']) => parts.flatMap((part) => (part.type === type ? [part.payload] : [])).join('')
    return {
      ...message,
      text: joined('text'),
      reasoning: joined('reasoning'),
      versions,
      ...withReceipt(receiptsOf.get(message.id)),
    }
  }
}

/**
 * Estimates the tokens that the next message sends along: the count of the last answer, and a guess of what came after.
 */
export function branchTokens(turns: Turn[]): number {
  const at = turns.findLastIndex(({ receipt }) => receipt !== undefined)
  const counted = turns[at]?.receipt?.branchTokens
  if (counted === undefined) return turns.length === 0 ? 0 : promptTokens(turns.map(sentOf))
  const after = turns.slice(at + 1)
  return counted + (after.length === 0 ? 0 : promptTokens(after.map(sentOf)))
}

const sentOf = (turn: Turn) => ({ content: turn.text, attachments: filesSent(turn) })

export function totalCost(receipts: Receipt[]): Usd {
  return nano(receipts.reduce((sum, receipt) => sum + (receipt.cost ?? 0n), 0n))
}

export type SideCosts = { title: Usd; suggestions: Usd; others: Usd }

/** Sums the costs that no shown answer has a receipt for: with those of the answers they add up to the chat's total. */
export function sideCosts(receipts: Receipt[], turns: Turn[]): SideCosts {
  const shown = new Set(turns.flatMap((turn) => turn.compared ?? [turn]).map(({ id }) => id))
  const sum = (isMeant: (receipt: Receipt) => boolean) => totalCost(receipts.filter(isMeant))
  return {
    // Before receipts had a purpose, those of no message were for titles, or for suggestions, which few have on.
    title: sum(({ messageId, purpose = 'title' }) => messageId === '' && purpose === 'title'),
    suggestions: sum(({ purpose }) => purpose === 'suggestions'),
    others: sum(({ messageId }) => messageId !== '' && !shown.has(messageId)),
  }
}

/** Reuses unchanged turns, so that only changed ones are drawn again. */
export function keepUnchanged(previous: Turn[], next: Turn[]): Turn[] {
  const before = new Map(previous.map((turn) => [turn.id, turn]))
  return next.map((turn) => {
    const old = before.get(turn.id)
    return old && isSame(old, turn) ? old : turn
  })
}

function isSame(a: Turn, b: Turn): boolean {
  return (
    a.status === b.status &&
    a.text === b.text &&
    a.reasoning === b.reasoning &&
    a.modelId === b.modelId &&
    a.versions.length === b.versions.length &&
    a.receipt?.at === b.receipt?.at &&
    a.failure?.message === b.failure?.message &&
    a.failure?.at === b.failure?.at &&
    a.notice === b.notice &&
    a.attachments?.length === b.attachments?.length &&
    a.citations?.length === b.citations?.length &&
    a.steps?.length === b.steps?.length &&
    a.receipt?.requestIds.length === b.receipt?.requestIds.length &&
    isSameComparison(a.compared, b.compared)
  )
}

function isSameComparison(a: Turn[] | undefined, b: Turn[] | undefined): boolean {
  if (!a || !b) return a === b
  return (
    a.length === b.length && a.every((turn, at) => b[at] !== undefined && turn.id === b[at].id && isSame(turn, b[at]))
  )
}

function withReceipt(receipts: Receipt[] = []): { receipt?: ReceiptSum } {
  const last = receipts.at(-1)
  if (!last) return {}
  const sum = (pick: (receipt: Receipt) => number) => receipts.reduce((total, receipt) => total + pick(receipt), 0)
  const withSum = (part: 'sourcesCost' | 'readingCost') => {
    const costs = receipts.flatMap((receipt) => receipt[part] ?? [])
    return costs.length > 0 && { [part]: nano(costs.reduce((total, cost) => total + cost, 0n)) }
  }
  const isPriced = receipts.some((receipt) => receipt.cost !== undefined)
  return {
    receipt: {
      model: last.model,
      at: last.at,
      durationMs: sum((receipt) => receipt.durationMs),
      branchTokens: last.tokens.input + last.tokens.output,
      ...(last.character && { character: last.character }),
      ...(receipts.some(({ sources }) => sources !== undefined) && { sources: sum(({ sources = 0 }) => sources) }),
      ...withSum('sourcesCost'),
      ...withSum('readingCost'),
      requestIds: receipts.flatMap((receipt) => receipt.requestId ?? []),
      tokens: {
        input: sum((receipt) => receipt.tokens.input),
        output: sum((receipt) => receipt.tokens.output),
        cached: sum((receipt) => receipt.tokens.cached),
        reasoning: sum((receipt) => receipt.tokens.reasoning),
      },
      ...(isPriced && { cost: totalCost(receipts) }),
    },
  }
}
