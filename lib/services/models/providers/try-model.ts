import 'server-only'
import type { ProviderModelType } from '@/lib/contract/providers'
import { EngineError } from '@/lib/services/engines/engine'
import { createUpstreamChatEngine } from '@/lib/services/engines/upstream/chat/chat'
import { UpstreamError } from '@/lib/services/engines/upstream/failures'
import { jobProviderOf, reachJobs } from '@/lib/services/engines/upstream/jobs/provider'
import { isWireObject } from '@/lib/services/engines/upstream/wire-value'
import type { Target } from '@/lib/services/models/providers/list-models'
import { askProvider, ProbeError, statusFault } from '@/lib/services/models/providers/probe-http'

const PROMPT = 'Answer with one word: are you there?'
const MAX_TOKENS = 256
/** A server may load the model first. */
const TIMEOUT_MS = 40_000
const MAX_WORD_CHARACTERS = 60

/**
 * Asks a model for one word, on the path that callers' requests take. An image costs too much for a try: of image models,
 * and of those for sound, only the server's list is known. Servers of videos are asked for one that does not exist.
 * @throws ProbeError
 */
export async function tryModel(target: Target, model: string, type: ProviderModelType): Promise<string> {
  if (type === 'embedding') return tryEmbedding(target, model)
  if (type === 'video') return tryVideos(target)
  if (type !== 'text') return ''
  const engine = createUpstreamChatEngine({ name: 'try', ...target.definition })
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const messages = [{ role: 'user' as const, content: PROMPT }]
  const request = { model, messages, sampling: {}, n: 1, maxTokens: MAX_TOKENS, stop: [], extra: {} }
  let [text, hasEnded] = ['', false]
  try {
    for await (const event of engine.stream(request, signal)) {
      if (event.type === 'text-delta') text += event.text
      if (event.type === 'choice-end') hasEnded = true
    }
  } catch (error) {
    throw signal.aborted ? new ProbeError('timeout', undefined, { cause: error }) : faultOf(error, target)
  } finally {
    await engine.close?.().catch(() => undefined)
  }
  if (!hasEnded) throw new ProbeError('not-an-api')
  return text.replace(/\s+/g, ' ').trim().slice(0, MAX_WORD_CHARACTERS)
}

async function tryEmbedding({ address, key }: Target, model: string): Promise<string> {
  const body = { model, input: [PROMPT] }
  const reply = await askProvider({
    url: `${address}/embeddings`,
    body,
    timeoutMs: TIMEOUT_MS,
    ...(key !== undefined && { key, headers: { authorization: `Bearer ${key}` } }),
  })
  const [first] = isWireObject(reply) && Array.isArray(reply.data) ? reply.data : []
  if (!isWireObject(first) || !(Array.isArray(first.embedding) || typeof first.embedding === 'string')) {
    throw new ProbeError('not-an-api')
  }
  return ''
}

async function tryVideos(target: Target): Promise<string> {
  const { definition, address } = target
  const provider = jobProviderOf(definition)
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    await reachJobs(provider, address, signal)
    return ''
  } catch (error) {
    if (signal.aborted) throw new ProbeError('timeout', undefined, { cause: error })
    const fault = faultOf(error, target)
    const isOther = fault.fault === 'failed' && (!(error instanceof UpstreamError) || error.status === undefined)
    throw isOther ? new ProbeError('not-an-api', undefined, { cause: error }) : fault
  }
}

function faultOf(error: unknown, { key }: Target): ProbeError {
  if (!(error instanceof EngineError)) return new ProbeError('failed', undefined, { cause: error })
  const status = error instanceof UpstreamError ? error.status : undefined
  if (status !== undefined) {
    // The engine keeps a vendor's words for a bad request only; of others it knows the kind.
    const kind = isWireObject(error.cause) ? error.cause.kind : undefined
    const isRefusal = error.reason === 'invalid-request'
    const fault = statusFault(status, { error: { message: isRefusal ? error.message : '', type: kind } }, key)
    return fault.fault === 'not-an-api' ? new ProbeError('no-model', undefined, { cause: error }) : fault
  }
  if (error.reason === 'offline') return new ProbeError('unreachable', undefined, { cause: error })
  return new ProbeError(error.reason === 'timeout' ? 'timeout' : 'failed', undefined, { cause: error })
}
