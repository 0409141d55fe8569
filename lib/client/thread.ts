import type { TokenCount } from '@/lib/client/chat-stream'
import type { Failure } from '@/lib/client/failure'
import type { Message, MessageStatus, Receipt, StoredThread } from '@/lib/client/history'
import { nano, type Usd } from '@/lib/core/money'

/** What an answer took in all, over its requests. */
export type ReceiptSum = {
  model: string
  tokens: TokenCount
  cost?: Usd
  durationMs: number
  requestIds: string[]
  at: number
}

/** One message of the branch that is shown. */
export type Turn = {
  id: string
  parentId: string
  role: 'user' | 'assistant'
  status: MessageStatus
  text: string
  reasoning: string
  createdAt: number
  modelId?: string
  finishReason?: string
  thinkingMs?: number
  failure?: Failure
  notice?: string
  receipt?: ReceiptSum
  /** What an answer does while it is written here, and since when it thinks. */
  phase?: 'waiting' | 'thinking' | 'writing'
  thinkingSince?: number
  /** All versions of this turn, oldest first, itself among them. */
  versions: string[]
}

/** The shown branch of a chat, first message first: at each fork the remembered child, else the newest. */
export function shownTurns({ conversation, messages, parts, receipts }: StoredThread): Turn[] {
  const children = Map.groupBy(messages, (message) => message.parentId)
  const partsOf = Map.groupBy(parts, (part) => part.messageId)
  const receiptsOf = Map.groupBy(receipts, (receipt) => receipt.messageId)
  const turns: Turn[] = []
  let siblings = children.get('')
  while (siblings && siblings.length > 0) {
    const parentId = siblings[0]?.parentId ?? ''
    const shown = siblings.find((message) => message.id === conversation.branches[parentId]) ?? siblings.at(-1)
    if (!shown) break
    const words = partsOf.get(shown.id) ?? []
    const joined = (type: 'text' | 'reasoning') =>
      words.flatMap((part) => (part.type === type ? [part.payload] : [])).join('')
    turns.push({
      ...fieldsOf(shown),
      text: joined('text'),
      reasoning: joined('reasoning'),
      versions: siblings.map((message) => message.id),
      ...withReceipt(receiptsOf.get(shown.id)),
    })
    siblings = children.get(shown.id)
  }
  return turns
}

/** What the whole chat took, hidden branches included: they were paid for too. */
export function totalCost(receipts: Receipt[]): Usd {
  return nano(receipts.reduce((sum, receipt) => sum + (receipt.cost ?? 0n), 0n))
}

/** Reuses what did not change between two readings, so that only changed turns are drawn again. */
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
    a.failure?.at === b.failure?.at
  )
}

function fieldsOf({ conversationId: _, ...fields }: Message): Omit<Message, 'conversationId'> {
  return fields
}

function withReceipt(receipts: Receipt[] = []): { receipt?: ReceiptSum } {
  const last = receipts.at(-1)
  if (!last) return {}
  const sum = (pick: (receipt: Receipt) => number) => receipts.reduce((total, receipt) => total + pick(receipt), 0)
  const isPriced = receipts.some((receipt) => receipt.cost !== undefined)
  return {
    receipt: {
      model: last.model,
      at: last.at,
      durationMs: sum((receipt) => receipt.durationMs),
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
