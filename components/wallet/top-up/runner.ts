import {
  type Credited,
  type KeptPayment,
  newTopUp,
  type Outcome,
  type Problem,
  type Requirements,
  reduceTopUp,
  type TopUpEvent,
} from '@/components/wallet/top-up/top-up'

/** What a top-up needs of the world. */
export type TopUpWorld = {
  /** What the service takes, asked directly before signing: on Solana it is good for about a minute. */
  requirements: () => Promise<Requirements>
  /** Opens the wallet. */
  sign: (requirements: Requirements, units: bigint) => Promise<Omit<KeptPayment, 'id' | 'signedAt' | 'units'>>
  send: (payment: KeptPayment) => Promise<Outcome>
  /** Remembers a payment over a reload, or what was learned about it. */
  keep: (payment: KeptPayment) => void
  drop: (id: string) => void
  problemOf: (error: unknown) => Problem
  now: () => number
  /** Resolves after the time, or sooner when a check makes sense: the network came back. */
  wait: (ms: number) => Promise<void>
  newId: () => string
  onCredited: (receipt: Credited, payment: KeptPayment) => void
}

export type TopUpRunner = ReturnType<typeof createTopUp>

/** One top-up at a time, with its effects. Lives outside the screen: a closed sheet does not stop a payment. */
export function createTopUp(world: TopUpWorld) {
  let state = newTopUp()
  const listeners = new Set<() => void>()

  /** False when the event changed nothing: it came late, or twice. */
  function apply(event: TopUpEvent): boolean {
    const next = reduceTopUp(state, event)
    if (next === state) return false
    state = next
    for (const listener of listeners) listener()
    return true
  }

  /** Asks what the service takes, has it signed and sends it. Does nothing while another top-up is on its way. */
  async function pay(units: bigint): Promise<void> {
    if (!apply({ type: 'begun', units })) return
    const { attempt } = state
    let payment: KeptPayment
    try {
      const requirements = await world.requirements()
      if (!apply({ type: 'offered', attempt })) return
      const signed = await world.sign(requirements, units)
      payment = { ...signed, units, id: world.newId(), signedAt: world.now() }
    } catch (error) {
      apply({ type: 'failed', attempt, problem: world.problemOf(error) })
      return
    }
    // Cancelled while the wallet was open: the signature came too late, and is not sent.
    if (!apply({ type: 'signed', attempt, payment })) return
    world.keep(payment)
    await deliver(attempt)
  }

  /** Goes on with a payment that was signed before a reload: sends that one, and signs nothing. */
  async function resume(payment: KeptPayment): Promise<void> {
    if (apply({ type: 'resumed', payment })) await deliver(state.attempt)
  }

  /** Asks now what became of the payment. */
  async function check(): Promise<void> {
    const { attempt } = state
    if (apply({ type: 'checking', attempt })) await deliver(attempt)
  }

  async function deliver(attempt: number): Promise<void> {
    while (state.step === 'sending' && state.attempt === attempt) {
      const { payment } = state
      const outcome = await world.send(payment)
      if (outcome.kind !== 'unknown') world.drop(payment.id)
      if (!apply({ type: 'settled', attempt, outcome, now: world.now() })) return
      if (outcome.kind === 'credited') world.onCredited(outcome.receipt, payment)
      if (outcome.kind !== 'unknown') return
      if (outcome.paymentId) world.keep({ ...payment, paymentId: outcome.paymentId })
      if (!(await nextCheck(attempt))) return
    }
  }

  /** Waits for the time of the next check. False when someone else checked first, or nobody will by himself. */
  async function nextCheck(attempt: number): Promise<boolean> {
    if (state.step !== 'confirming' || state.retryAt === undefined) return false
    const { retryAt } = state
    await world.wait(retryAt - world.now())
    const isStillMine = state.step === 'confirming' && state.retryAt === retryAt
    return isStillMine && apply({ type: 'checking', attempt })
  }

  return {
    pay,
    resume,
    check,
    /** While the wallet is open: what it still signs is thrown away. */
    cancel: () => void apply({ type: 'cancelled' }),
    /** Makes room for the next top-up; a payment under way stays. */
    reset: () => void apply({ type: 'reset' }),
    read: () => state,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
