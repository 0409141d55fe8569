import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { nano, type Usd } from '@/lib/contract/money'
import { ADMISSION_MINIMUM } from '@/lib/contract/prices'
import type { Params, RequestContext } from '@/lib/kernel/request-context'
import { type Caller, isWallet, keyIdOf } from '@/lib/kernel/request-context'
import { type Running, shutdown } from '@/lib/kernel/shutdown'
import { admit } from '@/lib/pipeline/admit'
import type { Reply } from '@/lib/pipeline/reply'
import type { Handle } from '@/lib/pipeline/route'
import { hold, noteBalances, recentBalances } from '@/lib/services/ledger/ledger'
import type { HoldRequest } from '@/lib/services/ledger/ledger-types'
import { creditOf } from '@/lib/services/ledger/ledger-types'
import { createMeter, type Meter, type MeterReading, noteLeft, type Receipt } from '@/lib/services/ledger/meter'
import { InsufficientBalance } from '@/lib/services/ledger/refusal'
import { enter } from '@/lib/services/limits/concurrency'
import { limitRequest, recordTokens } from '@/lib/services/limits/limits'
import type { Model } from '@/lib/services/models/model'
import { insufficientCredit } from '@/lib/services/payments/requirements'

export type Quote<Work> = {
  requestId: string
  model?: Model
  amount: Usd
  /** Open-ended work may start with less, down to this, and then ends sooner. */
  minimum?: Usd
  /** The price is fixed and small: what the calls of one moment cost may be written as one charge. */
  isShared?: boolean
  work: Work
}

/** `leave` ends the admission; `reply` is an answer that is known already and free. */
export type Entry = { leave?: Leave; reply?: Reply }

export type MeteredStages<Body, Work, Output> = {
  locate?: (params: Params) => void
  parse: (context: RequestContext, request: Request, params: Params) => Promise<Body>
  price: (body: Body, caller: Caller, context: RequestContext) => Quote<Work> | Promise<Quote<Work>>
  enter?: (quote: Quote<Work>, caller: Caller, context: RequestContext) => Promise<Entry>
  run: (work: Work, meter: Meter, context: RequestContext, signal: AbortSignal) => Output
  respond: (output: Output, work: Work, meter: Meter, context: RequestContext) => Promise<Reply>
}

/**
 * Runs a paid endpoint: admit, parse, price, limit, hold, run, respond, capture, in the contract's order (README 3.1),
 * which decides the error that wins. However the work ends, its hold ends with it: delivered work is charged, failed
 * work released.
 */
export function metered<Body, Work, Output>(stages: MeteredStages<Body, Work, Output>): Handle {
  return async (context, request, params) => {
    stages.locate?.(params)
    const caller = await admit(context, 'paid')
    const leave: Leave[] = [await enter(context, caller)]
    let isHeld = false
    try {
      const body = await stages.parse(context, request, params)
      const quote = await stages.price(body, caller, context)
      const entry = await enterWork(stages, quote, caller, context)
      if (entry.leave) leave.push(entry.leave)
      if (entry.reply) {
        await leaveAll(leave)
        return entry.reply
      }
      const meter = await openMeter(context, caller, quote)
      isHeld = true
      return await work(stages, quote, caller, meter, context, leave)
    } catch (error) {
      if (!isHeld) await leaveAll(leave)
      throw error
    }
  }
}

type Leave = () => Promise<void> | void

async function leaveAll(places: Leave[]): Promise<void> {
  for (let leave = places.pop(); leave; leave = places.pop()) await leave()
}

async function enterWork<Body, Work, Output>(
  { enter }: MeteredStages<Body, Work, Output>,
  quote: Quote<Work>,
  caller: Caller,
  context: RequestContext,
): Promise<Entry> {
  if (enter) return enter(quote, caller, context)
  if (quote.model) await limitRequest(context, caller, quote.model)
  return {}
}

async function openMeter<Work>(context: RequestContext, caller: Caller, quote: Quote<Work>): Promise<Meter> {
  const meter = await openHold(context, caller, quote)
  // A hold of nothing (a free model) asked the database nothing; the headers want the balance all the same.
  const before = meter.hold.balancesBefore ?? (await recentBalances(caller.accountId))
  context.facts.balanceUsd = creditOf(before)
  context.facts.balanceDiem = before.DIEM
  return meter
}

async function openHold<Work>(context: RequestContext, caller: Caller, quote: Quote<Work>): Promise<Meter> {
  const request: HoldRequest = {
    accountId: caller.accountId,
    keyId: keyIdOf(caller),
    requestId: quote.requestId,
    amount: quote.amount,
    minimum: quote.minimum,
    minimumBalance: quote.amount > 0n ? ADMISSION_MINIMUM : undefined,
    isShared: quote.isShared,
  }
  try {
    return createMeter(await hold(request))
  } catch (error) {
    throw await inWalletTerms(error, caller, context)
  }
}

async function inWalletTerms(error: unknown, caller: Caller, context: RequestContext): Promise<unknown> {
  if (error instanceof InsufficientBalance) noteBalances(caller.accountId, error.balances)
  if (!(error instanceof InsufficientBalance && isWallet(caller))) return error
  return await insufficientCredit(context, { balance: creditOf(error.balances), minimum: error.needed })
}

async function work<Body, Work, Output>(
  stages: MeteredStages<Body, Work, Output>,
  quote: Quote<Work>,
  caller: Caller,
  meter: Meter,
  context: RequestContext,
  places: Leave[],
): Promise<Reply> {
  const controller = new AbortController()
  const stop = () => controller.abort(context.signal.reason)
  const running: Running = { end: () => controller.abort(stopping()) }
  context.signal.addEventListener('abort', stop, { once: true })
  shutdown().running.add(running)
  // Whoever left before now is told of by no event.
  if (context.signal.aborted) stop()

  async function close(): Promise<Receipt> {
    context.signal.removeEventListener('abort', stop)
    shutdown().running.delete(running)
    const reading = meter.read()
    if (reading && quote.model) recordTokens(caller, quote.model, countedTokens(reading))
    const leaving = leaveAll(places)
    const receipt = await meter.settle()
    context.facts.chargedUsd = nano(receipt.usd + receipt.diem)
    await leaving
    return receipt
  }
  const closeQuietly = () => close().catch((error) => noteLeft(error, context))

  try {
    const output = stages.run(quote.work, meter, context, controller.signal)
    const reply = await stages.respond(output, quote.work, meter, context)
    if (!isStream(reply)) {
      const receipt = await closeQuietly()
      // A charge that is still to be written has no balance after it yet.
      if (isWallet(caller)) context.facts.balanceRemaining = receipt && remainingAfter(receipt, context)
      return reply
    }
    // The headers leave before the price is known. Contract, README 6.
    if (isWallet(caller)) context.facts.balanceRemaining = context.facts.balanceUsd
    return {
      ...reply,
      async onEnd(end, error) {
        if (end !== 'finished') controller.abort(new Error('the client left'))
        await reply.onEnd?.(end, error)
        await closeQuietly()
      },
    }
  } catch (error) {
    controller.abort(error)
    await closeQuietly()
    throw await inWalletTerms(error, caller, context)
  }
}

/** A free model's hold took nothing: the previous balance remains. */
function remainingAfter({ balancesAfter }: Receipt, { facts }: RequestContext): Usd | undefined {
  return balancesAfter ? creditOf(balancesAfter) : facts.balanceUsd
}

/** Cached tokens do not count toward the window. Source: API contract, README 8.2. */
function countedTokens({ promptTokens = 0, completionTokens = 0, cachedTokens = 0 }: MeterReading): number {
  return promptTokens + completionTokens - cachedTokens
}

function stopping(): ApiError {
  return new ApiError('SERVICE_UNAVAILABLE', 'The server is restarting; send the request again in a few seconds.', {
    retryAfterSeconds: 5,
  })
}

function isStream({ body }: Reply): boolean {
  return body !== null && typeof body === 'object' && Symbol.asyncIterator in body
}
