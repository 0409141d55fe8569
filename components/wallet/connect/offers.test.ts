import { expect, test } from 'vitest'
import { type FoundWallet, findWithin, walletOffers, wayKey, wayOf } from '@/components/wallet/connect/offers'

const ICON = 'data:image/svg+xml,<svg/>'
const evm = (name: string, id: string, icon?: string): FoundWallet => ({ family: 'evm', name, id, icon })
const solana = (name: string, icon?: string): FoundWallet => ({ family: 'solana', name, id: name, icon })

test('lists a wallet once, however often it announced itself', () => {
  const offers = walletOffers([evm('MetaMask', 'io.metamask'), evm('MetaMask', 'io.metamask')], '')
  expect(offers).toEqual([{ name: 'MetaMask', ways: [{ family: 'evm', id: 'io.metamask' }], isRecent: false }])
})

test('lists a wallet that speaks both families once, with both ways, EVM first', () => {
  const offers = walletOffers([solana('Phantom', ICON), evm('Phantom', 'app.phantom')], '')
  expect(offers).toEqual([
    {
      name: 'Phantom',
      icon: ICON,
      ways: [
        { family: 'evm', id: 'app.phantom' },
        { family: 'solana', id: 'Phantom' },
      ],
      isRecent: false,
    },
  ])
})

test('knows a wallet that is called a little differently in the other family', () => {
  const offers = walletOffers([evm('Trust Wallet', 'com.trustwallet.app'), solana('Trust')], '')
  expect(offers.map(({ name, ways }) => [name, ways.length])).toEqual([['Trust Wallet', 2]])
})

test('puts the wallet of last time first and the others in the order of their names', () => {
  const found = [evm('Rabby', 'io.rabby'), solana('Backpack'), solana('Solflare'), evm('MetaMask', 'io.metamask')]
  const offers = walletOffers(found, wayKey({ family: 'solana', id: 'Solflare' }))
  expect(offers.map(({ name }) => name)).toEqual(['Solflare', 'Backpack', 'MetaMask', 'Rabby'])
  expect(offers[0]?.isRecent).toBe(true)
})

test('shows no picture that would be fetched from somewhere', () => {
  const [offer] = walletOffers([evm('Tracker', 'com.tracker', 'https://tracker.example/pixel.png')], '')
  expect(offer?.icon).toBeUndefined()
})

test('remembers a way whose id has any letter in it, and nothing that is no way', () => {
  const way = { family: 'solana', id: 'A: wallet\nof two lines' } as const
  expect(wayOf(wayKey(way))).toEqual(way)
  expect(wayOf('')).toBeUndefined()
  expect(wayOf('bitcoin:Xverse')).toBeUndefined()
})

test('what is announced a moment later is found; what is not is given up on, and nobody listens any more', async () => {
  const listeners = new Set<() => void>()
  const onChange = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const announced: string[] = []
  const found = findWithin(1_000, () => announced[0], onChange)
  announced.push('rabby')
  for (const tell of listeners) tell()
  expect(await found).toBe('rabby')
  expect(await findWithin(1_000, () => announced[0], onChange)).toBe('rabby')
  expect(await findWithin(5, () => undefined, onChange)).toBeUndefined()
  expect(listeners.size).toBe(0)
})
