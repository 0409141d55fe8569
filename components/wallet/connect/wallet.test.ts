import { afterEach, expect, test } from 'vitest'
import { connectTest } from '@/components/wallet/connect/test-wallet'
import { keepPort, portFor } from '@/components/wallet/connect/wallet'
import { settleWallet, walletRequest } from '@/lib/browser/dialogs'
import { connectedPort, WalletError, type WalletPort } from '@/lib/browser/wallet-port'
import type { Session } from '@/lib/contract/session'

const sessionOf = (address: string): Session => ({
  id: 's',
  kind: 'wallet',
  address: address.toLowerCase(),
  family: 'evm',
  balanceUsd: 0,
  balanceDiem: 0,
  expiresAt: '',
  sandbox: true,
})

async function switching() {
  const listeners = new Set<(next: WalletPort | undefined) => void>()
  const port: WalletPort = {
    ...(await connectTest('evm')),
    onSwitch(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  const switchTo = (next: WalletPort | undefined) => {
    for (const listener of [...listeners]) listener(next)
  }
  return { port, listeners, switchTo }
}

afterEach(() => {
  keepPort(undefined)
  settleWallet(null)
})

test('gives the connected wallet for a session of its address, in whatever case', async () => {
  const port = await connectTest('evm')
  keepPort(port)
  expect(await portFor(sessionOf(port.address))).toBe(port)
})

test('asks the person where the wallet is not connected, and says that nothing happened when they refuse', async () => {
  const session = sessionOf('0x1111111111111111111111111111111111111111')
  const asked = portFor(session)
  await expect.poll(walletRequest).toEqual({ session })
  settleWallet(null)
  await expect(asked).rejects.toMatchObject({ reason: 'rejected' })
})

test('goes on with the wallet that the person connected in the dialog', async () => {
  const port = await connectTest('evm')
  const session = sessionOf(port.address)
  const asked = portFor(session)
  await expect.poll(walletRequest).toBeDefined()
  keepPort(port)
  settleWallet(session)
  expect(await asked).toBe(port)
})

test('refuses the wallet of another account', async () => {
  keepPort(await connectTest('evm'))
  const session = sessionOf('0x1111111111111111111111111111111111111111')
  const asked = portFor(session)
  await expect.poll(walletRequest).toBeDefined()
  settleWallet(session)
  await expect(asked).rejects.toMatchObject({ reason: 'changed-account' })
})

test('has no wallet for a guest', async () => {
  await expect(portFor({ ...sessionOf(''), kind: 'guest', address: null, family: null })).rejects.toThrow(WalletError)
})

test('follows the wallet to another account, and forgets one that was taken away', async () => {
  const { port, switchTo, listeners } = await switching()
  const next = { ...port, address: '0x2222222222222222222222222222222222222222' }
  keepPort(port)
  switchTo(next)
  expect(connectedPort()).toBe(next)
  switchTo(undefined)
  expect(connectedPort()).toBeUndefined()
  expect(listeners.size).toBe(0)
})

test('says so when the person signed in with another wallet instead', async () => {
  const port = await connectTest('evm')
  const asked = portFor(sessionOf('0x1111111111111111111111111111111111111111'))
  await expect.poll(walletRequest).toBeDefined()
  keepPort(port)
  settleWallet(sessionOf(port.address))
  await expect(asked).rejects.toThrow('now signed in with another wallet')
})
