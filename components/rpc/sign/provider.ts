import type { EIP1193Provider } from 'viem'

/** A wallet that is there announces itself within this. */
const ANNOUNCE_MS = 500
/** What the page calls a wallet that sits in `window.ethereum` and announces nothing. */
const UNNAMED = 'injected'

type Announced = CustomEvent<{ info: { rdns: string }; provider: EIP1193Provider }>

/** What an injected wallet is talked to by. Source: EIP-6963. */
export function providerOf(id: string): Promise<EIP1193Provider | undefined> {
  if (id === UNNAMED) return Promise.resolve((window as { ethereum?: EIP1193Provider }).ethereum)
  return new Promise((resolve) => {
    const end = (provider?: EIP1193Provider) => {
      clearTimeout(timer)
      window.removeEventListener('eip6963:announceProvider', hear)
      resolve(provider)
    }
    const hear = (event: Event) => {
      const { info, provider } = (event as Announced).detail
      if (info.rdns === id) end(provider)
    }
    const timer = setTimeout(end, ANNOUNCE_MS)
    window.addEventListener('eip6963:announceProvider', hear)
    window.dispatchEvent(new Event('eip6963:requestProvider'))
  })
}
