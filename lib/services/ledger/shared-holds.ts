import 'server-only'
import type { Balances, Captured, HoldRequest, SharedHold } from '@/lib/services/ledger/hold'
import { endAlone } from '@/lib/services/ledger/shared-hold-alone'
import { type AccountHolds, createHoldCoalescer, type HoldCoalescer } from '@/lib/services/ledger/shared-hold-desk'
import type { HoldStore } from '@/lib/services/ledger/shared-hold-pot'

/** Rounds of waiting for what ends, each of which may let more end. */
const MAX_SETTLING_ROUNDS = 100

export type SharedHolds = {
  share: (request: HoldRequest) => Promise<SharedHold>
  /** For somebody who is about to ask for credit of an account, and may be refused. */
  watch: (accountId: string) => Watch
  /** Until no call waits, and every hold without a call has ended. */
  settled: () => Promise<void>
}

type Watch = {
  /**
   * After a refusal: gives the account back what is set aside for no call; with a key, what is under its limits.
   *
   * @returns whether anything was given back since the watch began, or since the last time: asking again may help then.
   */
  giveBack: (keyId?: string) => Promise<boolean>
}

type AccountCoalescers = { desks: Map<string | undefined, HoldCoalescer>; till: AccountHolds }

/** The shared holds of one ledger: a desk for each account and key that has calls under way. */
export function createSharedHolds(
  bank: HoldStore & { balancesOf: (accountId: string) => Promise<Balances> },
): SharedHolds {
  const customers = new Map<string, AccountCoalescers>()

  function share(request: HoldRequest): Promise<SharedHold> {
    const { accountId, keyId, amount, minimum } = request
    if (amount <= 0n || minimum !== undefined) return shareNothing(request)
    let customer = customers.get(accountId)
    if (!customer) {
      customer = { desks: new Map(), till: { pots: new Set(), closing: new Set(), placing: new Set(), givenBack: 0 } }
      customers.set(accountId, customer)
    }
    let desk = customer.desks.get(keyId)
    if (!desk) {
      desk = createHoldCoalescer(bank, customer.till, (idle) => forget(accountId, keyId, idle))
      customer.desks.set(keyId, desk)
    }
    return desk.share(request)
  }

  /** Work without a price, or open-ended: it has nothing that could be shared. */
  async function shareNothing(request: HoldRequest): Promise<SharedHold> {
    const hold = await bank.hold(request)
    const balancesBefore = hold.balancesBefore ?? (await bank.balancesOf(request.accountId))
    let ended: Promise<Captured> | undefined
    return {
      hold: { ...hold, balancesBefore },
      end(charge) {
        ended ??= endAlone(bank, hold, charge)
        return ended
      },
    }
  }

  function forget(accountId: string, keyId: string | undefined, idle: HoldCoalescer): void {
    const customer = customers.get(accountId)
    if (!customer) return
    if (customer.desks.get(keyId) === idle) customer.desks.delete(keyId)
    if (customer.desks.size === 0 && customer.till.closing.size === 0) customers.delete(accountId)
  }

  function watch(accountId: string): Watch {
    const till = customers.get(accountId)?.till
    let seen = till?.givenBack
    return {
      async giveBack(keyId) {
        const isGiven = await giveBack(accountId, keyId)
        // A refusal may be older than what was given back while it was on its way, which is then no longer here to be given.
        const isNew = till?.givenBack !== seen
        seen = till?.givenBack
        return isGiven || isNew
      },
    }
  }

  async function giveBack(accountId: string, keyId?: string): Promise<boolean> {
    const customer = customers.get(accountId)
    if (!customer) return false
    const { desks, till } = customer
    for (const [key, desk] of desks) if (keyId === undefined || key === keyId) desk.backOff()
    // What is being placed may turn out to be more room; it waits for nobody.
    await Promise.allSettled(till.placing)
    const given = await Promise.all([
      ...[...till.closing].map((closing) => closing.then(() => true)),
      ...[...till.pots].map((pot) => (keyId === undefined || pot.keyId === keyId) && pot.giveBack()),
    ])
    return given.includes(true)
  }

  async function settled(): Promise<void> {
    for (let round = 0; round < MAX_SETTLING_ROUNDS; round++) {
      const all = [...customers.values()]
      await Promise.all(all.flatMap(({ desks }) => [...desks.values()].map((desk) => desk.settled())))
      for (const { till } of all) for (const pot of till.pots) pot.closeIfEmpty()
      const closing = all.flatMap(({ till }) => [...till.closing])
      if (closing.length === 0) return
      await Promise.all(closing)
    }
  }

  return { share, watch, settled }
}
