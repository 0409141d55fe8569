import 'server-only'
import { z } from 'zod'
import { ApiError, invalidField } from '@/lib/contract/errors'
import { hex } from '@/lib/contract/ids'
import { usdNumber } from '@/lib/contract/money'
import { BROADCASTS, offerOf } from '@/lib/contract/rpc-methods'
import { type MatrixLine, networkOf, RPC_SLUGS, type RpcNetwork } from '@/lib/contract/rpc-networks'
import { costOf, creditsFor, creditsOfRequest, enterRpc, lineOf } from '@/lib/endpoints/rpc/call'
import { countCredits } from '@/lib/endpoints/rpc/daily-credits'
import type { Caller, RequestContext } from '@/lib/kernel/request-context'
import type { Entry, Quote } from '@/lib/pipeline/metered'
import type { Reply } from '@/lib/pipeline/reply'
import type { Meter, PricedUnits } from '@/lib/services/ledger/meter'
import type { RpcRequest } from '@/lib/services/rpc-nodes/calls'
import { forward } from '@/lib/services/rpc-nodes/forward'
import { knownHeight } from '@/lib/services/rpc-nodes/health'

const REQUEST_ID_BYTES = 16
const MAX_SHOWN_BYTES = 256 * 1024

export const MatrixRequest = z.strictObject({
  networks: z.array(z.enum(RPC_SLUGS)).min(1).max(RPC_SLUGS.length),
  method: z.string().min(1).max(100),
  params: z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]).optional(),
})
export type MatrixRequest = z.infer<typeof MatrixRequest>

type Ask = { network: RpcNetwork; request: RpcRequest; credits: number }
export type MatrixWork = { asks: Ask[]; requestId: string; accountId: string }

export function quoteMatrix(body: MatrixRequest, { accountId }: Caller): Quote<MatrixWork> {
  const { method, params } = body
  if (BROADCASTS.has(method)) throw invalidField(['method'], 'changes a chain: send it to one network')
  const request: RpcRequest = {
    calls: [{ method, id: '1', ...(params !== undefined && { params: JSON.stringify(params) }) }],
    isBatch: false,
  }
  const asks = [...new Set(body.networks)].map((slug): Ask => {
    const network = networkOf(slug)!
    const offer = offerOf(network.family, method)
    if (!offer.isOffered)
      throw new ApiError('UNSUPPORTED_RPC_METHOD', `${slug}: ${method} is not supported: ${offer.hint}.`)
    return { network, request, credits: creditsOfRequest(network, request) }
  })
  const requestId = hex(REQUEST_ID_BYTES)
  return { requestId, amount: costOf(sum(asks)), work: { asks, requestId, accountId } }
}

/** Counts each network as a request; together they take the account's turn once. */
export async function enterMatrix(
  { work }: Quote<MatrixWork>,
  caller: Caller,
  context: RequestContext,
): Promise<Entry> {
  return { leave: await enterRpc(context, caller, { requests: work.asks.length, credits: sum(work.asks) }) }
}

/** Asks all networks at once and yields a line each as its answer comes; what was yielded is charged. */
export async function* runMatrix(
  { asks, requestId, accountId }: MatrixWork,
  meter: Meter,
  _: RequestContext,
  signal: AbortSignal,
): AsyncGenerator<MatrixLine> {
  const lines: PricedUnits[] = []
  meter.readWith(() => (lines.length > 0 ? { lines } : undefined))
  const running = new Map(
    asks.map((ask) => [ask, lineFor(ask, requestId, accountId, signal).then((line) => ({ ask, line }))]),
  )
  while (running.size > 0) {
    const { ask, line } = await Promise.race(running.values())
    running.delete(ask)
    if (line.credits > 0) {
      lines.push(lineOf(ask.network, ask.request, line.credits))
      countCredits(accountId, line.credits)
      meter.mark()
    }
    yield line
  }
}

export async function respondMatrix(lines: AsyncGenerator<MatrixLine>): Promise<Reply> {
  return { body: printed(lines), contentType: 'application/x-ndjson', headers: { 'Cache-Control': 'no-store' } }
}

async function* printed(lines: AsyncGenerator<MatrixLine>): AsyncGenerator<Uint8Array> {
  for await (const line of lines) yield Buffer.from(`${JSON.stringify(line)}\n`)
}

async function lineFor(
  { network, request }: Ask,
  requestId: string,
  accountId: string,
  signal: AbortSignal,
): Promise<MatrixLine> {
  const startedAt = performance.now()
  const line = (rest: Pick<MatrixLine, 'status' | 'credits' | 'outcome'> & Partial<MatrixLine>): MatrixLine => ({
    network: network.slug,
    ms: Math.round(performance.now() - startedAt),
    costUsd: usdNumber(costOf(rest.credits)),
    height: knownHeight(network),
    ...rest,
  })
  try {
    const reply = await forward(network, request, { signal, requestId, accountId })
    const credits = creditsFor(network, request, reply)
    if (reply.kind === 'refused') {
      const message = `The node answered ${reply.status}.`
      return line({ status: reply.status, credits, outcome: 'failed', error: { code: 'RPC_UPSTREAM_FAILED', message } })
    }
    const [item] = reply.scanned.items
    return line({ status: 200, credits, outcome: item!.outcome, ...displayedReply(reply.body) })
  } catch (error) {
    if (signal.aborted || !(error instanceof ApiError)) throw error
    return line({
      status: error.status,
      credits: 0,
      outcome: 'failed',
      error: { code: error.code, message: error.message },
    })
  }
}

function displayedReply(body: Uint8Array): Pick<MatrixLine, 'reply' | 'error'> {
  if (body.byteLength > MAX_SHOWN_BYTES) {
    const message = `The result is ${Math.ceil(body.byteLength / 1024)} KB: ask this network alone to see it.`
    return { error: { code: 'RESULT_TOO_LARGE', message } }
  }
  try {
    return { reply: JSON.parse(Buffer.from(body).toString()) as unknown }
  } catch {
    return { error: { code: 'RESULT_MALFORMED', message: 'The node’s reply is not valid JSON.' } }
  }
}

const sum = (asks: Ask[]): number => asks.reduce((total, { credits }) => total + credits, 0)
