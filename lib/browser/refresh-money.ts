import { queryClient } from '@/lib/browser/queries'
import { SESSION_KEY } from '@/lib/browser/session'

/** Everything of the wallet screen is cached below this. */
export const WALLET_KEY = ['wallet'] as const

const CHANNEL = 'lagoon:credit'

/** Asks anew for whatever shows a balance. */
export function refreshMoney(): void {
  void queryClient().invalidateQueries({ queryKey: SESSION_KEY })
  void queryClient().invalidateQueries({ queryKey: WALLET_KEY })
}

/** Tells the other tabs that there is new credit. */
export function tellOtherTabs(): void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage('credited')
  channel.close()
}

/** Shows at once what another tab was credited. Returns how to stop. */
export function hearOtherTabs(): () => void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.onmessage = refreshMoney
  return () => channel.close()
}
