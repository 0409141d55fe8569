import { Pool } from 'undici'
import { type Calls, serveParent } from '@/bench/children'
import { percentile } from '@/bench/figures'

/** Runs as a process of its own: sends requests as fast as their answers come, and looks at every answer. */

const MAX_FAULTS = 5
const FIRST_TOKEN = /"content":\s*"[^"]/
const INSIDE = /^work;dur=([\d.]+)$/

type Sample = { totalMs: number; firstMs?: number; insideMs?: number; events: number; fault?: string }

serveParent({ chat, rpc, each, leave } satisfies ClientCalls)

/** `connections` requests at a time for `durationMs`; what is under way then is finished and counted. */
async function chat(load: ChatLoad): Promise<LoadResult> {
  const body = JSON.stringify(requestBody(load))
  const heads = load.keys.map((key) => ({ ...load.headers, ...headersOf(key) }))
  let sent = 0
  return run(load, (pool) => once(pool, load, body, heads[sent++ % heads.length]!))
}

async function rpc(load: RpcLoad): Promise<LoadResult> {
  let sent = 0
  const heads = load.keys.map(headersOf)
  return run(load, async (pool) => {
    const first = sent * Math.max(1, load.batch)
    const headers = heads[sent++ % heads.length]
    const body = rpcBody(load, first)
    const startedAt = performance.now()
    const answer = await pool.request({ method: 'POST', path: load.path, headers, body })
    const text = await answer.body.text()
    const totalMs = performance.now() - startedAt
    const isRight = answer.statusCode === 200 && text === rpcAnswer(load, first)
    return { totalMs, events: 0, fault: isRight ? undefined : `${answer.statusCode} ${text.slice(0, 300)}` }
  })
}

async function each({ origin, connections, requests }: EachLoad): Promise<EachResult> {
  let next = 0
  const { samples, elapsedMs } = await sendWhile(
    { origin, connections },
    () => next < requests.length,
    (pool) => one(pool, requests[next++]!),
  )
  return {
    totalsMs: samples.map(({ totalMs }) => totalMs),
    insideMs: samples.flatMap(({ insideMs }) => (insideMs === undefined ? [] : [insideMs])),
    elapsedMs,
    faults: faultsOf(samples),
  }
}

async function one(pool: Pool, { method, path, headers, body, status, expect }: Prepared): Promise<Sample> {
  const startedAt = performance.now()
  const answer = await pool.request({ method, path, headers, body })
  const text = await answer.body.text()
  const totalMs = performance.now() - startedAt
  const inside = INSIDE.exec(String(answer.headers['server-timing'] ?? ''))?.[1]
  const isRight = answer.statusCode === status && text.includes(expect)
  return {
    totalMs,
    insideMs: inside === undefined ? undefined : Number(inside),
    events: 0,
    fault: isRight ? undefined : `${answer.statusCode} ${text.slice(0, 300)}`,
  }
}

async function leave(load: ChatLoad): Promise<number> {
  const body = JSON.stringify(requestBody(load))
  const streams = Array.from({ length: load.connections }, async () => {
    const pool = new Pool(load.origin, { connections: 1 })
    const answer = await pool.request({
      method: 'POST',
      path: load.path,
      headers: { ...load.headers, ...headersOf(load.keys[0]!) },
      body,
    })
    let text = ''
    for await (const chunk of answer.body) {
      text += (chunk as Buffer).toString('latin1')
      if (FIRST_TOKEN.test(text)) break
    }
    await pool.destroy()
  })
  await Promise.all(streams)
  return streams.length
}

async function run(
  { origin, connections, durationMs }: Pick<ChatLoad, 'origin' | 'connections' | 'durationMs'>,
  send: (pool: Pool) => Promise<Sample>,
): Promise<LoadResult> {
  const endAt = performance.now() + durationMs
  const { samples, elapsedMs } = await sendWhile({ origin, connections }, () => performance.now() < endAt, send)
  const firsts = samples.flatMap(({ firstMs }) => (firstMs === undefined ? [] : [firstMs]))
  return {
    requests: samples.length,
    events: samples.reduce((sum, { events }) => sum + events, 0),
    elapsedMs,
    p50Ms: percentile(
      samples.map(({ totalMs }) => totalMs),
      50,
    ),
    p99Ms: percentile(
      samples.map(({ totalMs }) => totalMs),
      99,
    ),
    firstP50Ms: firsts.length === 0 ? undefined : percentile(firsts, 50),
    faults: faultsOf(samples),
  }
}

async function sendWhile(
  { origin, connections }: Pick<ChatLoad, 'origin' | 'connections'>,
  hasMore: () => boolean,
  send: (pool: Pool) => Promise<Sample>,
): Promise<{ samples: Sample[]; elapsedMs: number }> {
  const pool = new Pool(origin, { connections, pipelining: 1, keepAliveTimeout: 60_000 })
  const samples: Sample[] = []
  const startedAt = performance.now()
  const worker = async () => {
    while (hasMore()) samples.push(await send(pool))
  }
  await Promise.all(Array.from({ length: connections }, worker))
  const elapsedMs = performance.now() - startedAt
  await pool.close()
  return { samples, elapsedMs }
}

const faultsOf = (samples: Sample[]): string[] =>
  samples.flatMap(({ fault }) => (fault === undefined ? [] : [fault])).slice(0, MAX_FAULTS)

type Headers = ReturnType<typeof headersOf>

async function once(pool: Pool, load: ChatLoad, body: string, headers: Headers): Promise<Sample> {
  const startedAt = performance.now()
  try {
    const answer = await pool.request({ method: 'POST', path: load.path, headers, body })
    const chunks: Buffer[] = []
    let firstMs: number | undefined
    for await (const chunk of answer.body) {
      chunks.push(chunk as Buffer)
      if (load.isStreaming && firstMs === undefined && FIRST_TOKEN.test((chunk as Buffer).toString('latin1'))) {
        firstMs = performance.now() - startedAt
      }
    }
    const totalMs = performance.now() - startedAt
    const text = Buffer.concat(chunks).toString()
    const fault = answer.statusCode === 200 ? faultOf(text, load) : `${answer.statusCode} ${text.slice(0, 300)}`
    return { totalMs, firstMs, events: fault || !load.isStreaming ? 0 : load.expect.events, fault }
  } catch (error) {
    return { totalMs: performance.now() - startedAt, events: 0, fault: String(error) }
  }
}

type Chunk = { choices: { delta?: { content?: string }; message?: { content?: string } }[]; usage?: Usage }
type Usage = { completion_tokens: number }

function faultOf(text: string, { isStreaming, expect }: ChatLoad): string | undefined {
  const frames = isStreaming ? text.split('\n\n').filter((frame) => frame.startsWith('data: ')) : [`data: ${text}`]
  if (isStreaming && frames.pop() !== 'data: [DONE]') return `no end: …${text.slice(-200)}`
  let content = ''
  let usage: Usage | undefined
  for (const frame of frames) {
    const chunk = JSON.parse(frame.slice('data: '.length)) as Chunk
    content += (chunk.choices[0]?.delta ?? chunk.choices[0]?.message)?.content ?? ''
    usage = chunk.usage ?? usage
  }
  if (content !== expect.text) return `wrong text of ${content.length} characters: ${content.slice(0, 100)}`
  return usage?.completion_tokens === expect.tokens ? undefined : `wrong usage: ${JSON.stringify(usage)}`
}

function requestBody({ model, isStreaming, promptBytes }: ChatLoad) {
  const content = 'What do the tides say today? '.repeat(Math.ceil(promptBytes / 29)).slice(0, promptBytes)
  const messages = [{ role: 'user', content }]
  const options = isStreaming ? { stream: true, stream_options: { include_usage: true } } : { stream: false }
  return { model, messages, max_tokens: 1_000, temperature: 0.7, ...options }
}

const headersOf = (key: string) => ({ 'content-type': 'application/json', authorization: `Bearer ${key}` })

function rpcBody({ batch, isSame }: RpcLoad, first: number): string {
  const call = (id: number) =>
    isSame
      ? `{"jsonrpc":"2.0","id":${id},"method":"eth_blockNumber","params":[]}`
      : `{"jsonrpc":"2.0","id":${id},"method":"eth_getBalance","params":["0x${id.toString(16).padStart(40, '0')}","latest"]}`
  return batch === 0 ? call(first) : `[${Array.from({ length: batch }, (_, n) => call(first + n)).join(',')}]`
}

function rpcAnswer({ batch, isSame }: RpcLoad, first: number): string {
  const result = isSame ? '"0x1f4a0c8"' : '"0xde0b6b3a7640000"'
  const item = (id: number) => `{"jsonrpc":"2.0","id":${id},"result":${result}}`
  return batch === 0 ? item(first) : `[${Array.from({ length: batch }, (_, n) => item(first + n)).join(',')}]`
}

/** Requests of a chat, whose keys take turns. */
export type ChatLoad = {
  origin: string
  path: string
  keys: string[]
  headers?: Record<string, string>
  model: string
  connections: number
  durationMs: number
  isStreaming: boolean
  promptBytes: number
  /** The text and tokens that every answer must have, and the events of a stream that carry them. */
  expect: { text: string; tokens: number; events: number }
}

/** JSON-RPC requests, whose keys take turns. */
export type RpcLoad = {
  origin: string
  path: string
  keys: string[]
  connections: number
  durationMs: number
  /** Calls in one request; 0 for a call that is not in a batch. */
  batch: number
  /** Every call asks for the same; else each for something else. */
  isSame: boolean
}

export type Prepared = {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: string
  status: number
  expect: string
}

type EachLoad = { origin: string; connections: number; requests: Prepared[] }

type EachResult = {
  totalsMs: number[]
  /** What the server itself says that its work took (`Server-Timing`), where it says so. */
  insideMs: number[]
  elapsedMs: number
  faults: string[]
}

type LoadResult = {
  requests: number
  events: number
  elapsedMs: number
  p50Ms: number
  p99Ms: number
  firstP50Ms?: number
  faults: string[]
}

export type ClientCalls = Calls & {
  chat: (load: ChatLoad) => Promise<LoadResult>
  rpc: (load: RpcLoad) => Promise<LoadResult>
  each: (load: EachLoad) => Promise<EachResult>
  leave: (load: ChatLoad) => Promise<number>
}
