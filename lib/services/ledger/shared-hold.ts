import 'server-only'
import type { HoldRequest, SharedHold } from '@/lib/services/ledger/hold'
import { processLedger } from '@/lib/services/ledger/ledger'

/**
 * Sets credit aside for a call of a fixed price, as `hold` does for a call that is alone. Calls of one account and key
 * that run at the same moment share one hold and one capture: cheap calls by the thousand cost few statements. What a
 * joined call is told of balances, and whether its key is still good, is then at most a second old.
 *
 * @throws ApiError as `hold`.
 */
export const shareHold = async (request: HoldRequest): Promise<SharedHold> => (await processLedger()).share(request)
