import { cpuMs } from '@/bench/children'
import type { Bed, Target } from '@/bench/gateway-targets'
import type { ChatLoad } from '@/bench/load-client'
import { answerText, MODEL, type Plan } from '@/bench/settings'

export type LegName = 'chat-32' | 'chat-32-one-event' | 'chat-1' | 'prompt-100k' | 'paced' | 'burst' | 'burst-whole'

export type Leg = {
  name: LegName
  plan: Plan
  load: Pick<ChatLoad, 'connections' | 'isStreaming' | 'promptBytes'>
}

export type Measured = {
  p50Ms: number
  /** Requests; of streams, events. */
  perSecond: number
  firstP50Ms?: number
  /** CPU of the process under test, all its threads. */
  cpuPerRequestUs?: number
  cpuPerEventUs?: number
  faults: string[]
}

// An answer of 1 KB. Asked for as a stream, the upstream sends it token by token, as real ones do.
const ONE_KILOBYTE: Plan = { tokens: 128, paceMs: 0, firstTokenMs: 0, tokensPerEvent: 1, hasOwnWrites: true }
// The same answer by an upstream that streams it in one piece: it then takes the same time either way.
const ONE_EVENT: Plan = { ...ONE_KILOBYTE, tokensPerEvent: ONE_KILOBYTE.tokens }

export const LEGS: Leg[] = [
  { name: 'chat-32', plan: ONE_KILOBYTE, load: { connections: 32, isStreaming: false, promptBytes: 800 } },
  { name: 'chat-32-one-event', plan: ONE_EVENT, load: { connections: 32, isStreaming: false, promptBytes: 800 } },
  { name: 'chat-1', plan: ONE_EVENT, load: { connections: 1, isStreaming: false, promptBytes: 800 } },
  { name: 'prompt-100k', plan: ONE_EVENT, load: { connections: 8, isStreaming: false, promptBytes: 100_000 } },
  {
    name: 'paced',
    plan: { tokens: 40, paceMs: 5, firstTokenMs: 20, tokensPerEvent: 1, hasOwnWrites: true },
    load: { connections: 16, isStreaming: true, promptBytes: 800 },
  },
  {
    name: 'burst',
    plan: { tokens: 200, paceMs: 0, firstTokenMs: 0, tokensPerEvent: 1, hasOwnWrites: true },
    load: { connections: 8, isStreaming: true, promptBytes: 800 },
  },
  {
    name: 'burst-whole',
    plan: { tokens: 200, paceMs: 0, firstTokenMs: 0, tokensPerEvent: 1, hasOwnWrites: false },
    load: { connections: 8, isStreaming: true, promptBytes: 800 },
  },
]

export async function measureLeg(
  { client }: Pick<Bed, 'client'>,
  target: Target,
  leg: Leg,
  durationMs: number,
): Promise<Measured> {
  const { origin, path, key, headers, pid } = target
  const { plan } = leg
  const expect = { text: answerText(plan), tokens: plan.tokens, events: plan.tokens / plan.tokensPerEvent }
  const before = pid === undefined ? 0 : cpuMs(pid)
  const result = await client.call('chat', {
    origin,
    path,
    keys: [key],
    headers,
    model: MODEL,
    durationMs,
    ...leg.load,
    expect,
  })
  const usedUs = pid === undefined ? undefined : (cpuMs(pid) - before) * 1000
  const { requests, events, elapsedMs, p50Ms, firstP50Ms, faults } = result
  return {
    p50Ms,
    perSecond: ((leg.load.isStreaming ? events : requests) * 1000) / elapsedMs,
    firstP50Ms,
    cpuPerRequestUs: usedUs === undefined ? undefined : usedUs / requests,
    cpuPerEventUs: usedUs === undefined || events === 0 ? undefined : usedUs / events,
    faults,
  }
}
