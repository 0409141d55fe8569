import type { Item } from '@/lib/browser/palette-items'

export type NetworkSearch = (text: string) => Item[]

let fetchSearch: () => Promise<NetworkSearch> = async () => () => []

/** Registers where the search for networks and methods is fetched: it is large, and loaded when the palette opens. */
export function provideNetworkSearch(fetch: () => Promise<NetworkSearch>): void {
  fetchSearch = fetch
}

export const networkSearch = (): Promise<NetworkSearch> => fetchSearch()
