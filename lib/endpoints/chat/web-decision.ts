import 'server-only'
import { NEEDS_NO_WEB, NEEDS_WEB } from '@/lib/endpoints/chat/web-decision-examples'
import { ruleOf } from '@/lib/endpoints/chat/web-decision-rules'
import { perProcess, resetPerProcess } from '@/lib/kernel/per-process'
import type { EmbeddingEngine } from '@/lib/services/engines/engine'
import { embeddingEngine } from '@/lib/services/engines/registry'
import { embedSoon, similarity } from '@/lib/services/web/embed-soon'

/** How long the decision may hold an answer up, and how long the examples may take when they are read first. */
const DECIDE_MS = 2_000
const EXAMPLES_MS = 30_000
const MAX_QUESTION_CHARS = 400
/** The nearest examples vote; what is like none of them is left to the model. */
const VOTERS = 5
const LEAST_SIMILARITY = 0.25

const EXAMPLES = 'web-decision-examples'

/**
 * Whether a question asks for what only the web can tell: by what it says, and where that is not clear by the examples
 * that it is most like. In doubt, no: a search costs money.
 *
 * @throws the signal's reason when the caller left.
 */
export async function needsWeb(
  question: string,
  signal: AbortSignal,
  o: { engine?: EmbeddingEngine; now?: Date } = {},
): Promise<boolean> {
  signal.throwIfAborted()
  const rule = ruleOf(question, o.now ?? new Date())
  if (rule !== undefined) return rule
  // One that cannot be read is like any example.
  if (!/\p{L}{2}/u.test(question)) return false
  const engine = o.engine ?? embeddingEngine()
  if (!engine) return false
  const [asked, known] = await Promise.all([
    embedSoon([question.slice(0, MAX_QUESTION_CHARS)], { engine, withinMs: DECIDE_MS, signal }),
    within(examples(engine), DECIDE_MS),
  ])
  return asked && known ? vote(asked[0]!, known) : false
}

type Examples = { vector: Float32Array; isWeb: boolean }[]

/** Embedded once per process, and not for one request alone: who leaves does not stop it for the others. */
function examples(engine: EmbeddingEngine): Promise<Examples | undefined> {
  return perProcess(EXAMPLES, async () => {
    const texts = [...NEEDS_WEB, ...NEEDS_NO_WEB]
    const never = new AbortController().signal
    const vectors = await embedSoon(texts, { engine, withinMs: EXAMPLES_MS, signal: never })
    if (!vectors) resetPerProcess(EXAMPLES)
    return vectors?.map((vector, index) => ({ vector, isWeb: index < NEEDS_WEB.length }))
  })
}

function within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, undefined)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function vote(asked: Float32Array, known: Examples): boolean {
  const nearest = known
    .map(({ vector, isWeb }) => ({ isWeb, nearness: similarity(asked, vector) }))
    .sort((left, right) => right.nearness - left.nearness)
    .slice(0, VOTERS)
  if (nearest[0]!.nearness < LEAST_SIMILARITY) return false
  // Squared: two that are very like the question outweigh three that are a little.
  return nearest.reduce((sum, { isWeb, nearness }) => sum + (isWeb ? 1 : -1) * nearness ** 2, 0) > 0
}
