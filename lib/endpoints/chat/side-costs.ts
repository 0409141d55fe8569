import type { Usd } from '@/lib/contract/money'
import type { ChatWork } from '@/lib/endpoints/chat/quote'
import type { ChatRun } from '@/lib/endpoints/chat/run'
import { nativeSearchLines } from '@/lib/endpoints/chat/web'
import { type PricedUnits, priceOf } from '@/lib/services/ledger/price'

type Spent = Pick<ChatRun, 'purse' | 'nativeResults'>
type Asked = Pick<ChatWork, 'request'>

/** What an answer costs beside its tokens. A vendor cannot charge for more results than it was asked for. */
export function linesBeside({ purse, nativeResults }: Spent, { request }: Asked): PricedUnits[] {
  return [...purse.lines, ...nativeSearchLines(Math.min(nativeResults, request.nativeSearch?.maxResults ?? 0))]
}

/** The most that it may come to, before it has ended: a vendor says at the end how much it found. */
export function boundBeside({ purse }: Spent, { request }: Asked): Usd {
  return priceOf([...purse.lines, ...nativeSearchLines(request.nativeSearch?.maxResults ?? 0)])
}
