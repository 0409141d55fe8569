import { afterEach } from 'vitest'
import type { ChatEngine, ChatEvent } from '@/lib/services/engines/engine'
import { createUpstreamChatEngine, type UpstreamChatOptions } from '@/lib/services/engines/upstream/chat/chat'
import {
  type FakeHandler,
  type FakeUpstream,
  startUpstream,
} from '@/lib/services/engines/upstream/testing/fake-upstream'

const started: { upstreams: FakeUpstream[]; engines: ChatEngine[] } = { upstreams: [], engines: [] }

afterEach(async () => {
  await Promise.all(started.upstreams.splice(0).map((upstream) => upstream.close()))
  await Promise.all(started.engines.splice(0).map((engine) => engine.close?.()))
})

export async function upstream(handler: FakeHandler): Promise<FakeUpstream> {
  const fake = await startUpstream(handler)
  started.upstreams.push(fake)
  return fake
}

export function engineOf(baseUrls: string[], options: Partial<UpstreamChatOptions> = {}): ChatEngine {
  const engine = createUpstreamChatEngine({
    name: 'house',
    baseUrls,
    timeouts: { connectMs: 500, firstTokenMs: 600, idleMs: 300 },
    ...options,
  })
  started.engines.push(engine)
  return engine
}

export async function serve(handler: FakeHandler, options?: Partial<UpstreamChatOptions>) {
  const fake = await upstream(handler)
  return { fake, engine: engineOf([fake.baseUrl], options) }
}

export const ANSWER: ChatEvent[] = [
  { type: 'route', router: 'house', retries: 0 },
  { type: 'text-delta', choice: 0, text: 'Hel' },
  { type: 'text-delta', choice: 0, text: 'lo' },
  { type: 'choice-end', choice: 0, reason: 'stop' },
  { type: 'usage', inputTokens: 7, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 2, reasoningTokens: 0 },
]
