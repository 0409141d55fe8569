import 'server-only'
import {
  type Balances,
  type Captured,
  type Charge,
  type Hold,
  type HoldRequest,
  processLedger,
} from '@/lib/services/ledger/ledger'

/**
 * One call's part of the credit that is set aside for it and those beside it. `hold` says what is this call's: its own
 * request id and amount, and what could be spent before it; it is ended by `end` only, never by `capture`, `extend` or `release`.
 */
export type SharedHold = {
  hold: Hold & { balancesBefore: Balances }
  /**
   * Charges the call what was delivered, at most its amount; nothing delivered, nothing charged. Once: later calls get
   * what the first one took. Does not wait for the database unless the call was alone: then it may throw as `capture`.
   */
  end: (charge: Charge | undefined) => Promise<Captured>
}

/**
 * Sets credit aside for a call of a fixed price, as `hold` does for a call that is alone. Calls of one account and key
 * that run at the same moment share one hold and one capture: cheap calls by the thousand cost few statements. What a
 * joined call is told of balances, and whether its key is still good, is then at most a second old.
 *
 * @throws ApiError as `hold`.
 */
export const shareHold = async (request: HoldRequest): Promise<SharedHold> => (await processLedger()).share(request)
