import { afterEach, expect, test, vi } from 'vitest'
import { writeAddress } from '@/components/rpc/matrix/matrix'

function stage(path: string) {
  class History {
    state = { tree: 'kept' }
    written: unknown[] = []
    replaceState(...change: unknown[]) {
      this.written.push(change)
    }
  }
  const history = new History()
  const router = vi.fn()
  const page = Object.assign(history, { replaceState: router })
  vi.stubGlobal('window', { history: page, location: new URL(path, 'https://lagoon.example') })
  return { written: history.written, router }
}

afterEach(() => vi.unstubAllGlobals())

test('the address of the page follows, with what the router keeps, and the router is told of no jump', () => {
  const { written, router } = stage('/rpc/matrix')
  writeAddress('/rpc/matrix?m=eth_chainId')
  expect(written).toEqual([[{ tree: 'kept' }, '', '/rpc/matrix?m=eth_chainId']])
  expect(router).not.toHaveBeenCalled()
})

test('once another page is there, nothing is written', () => {
  const { written } = stage('/rpc/base-mainnet')
  writeAddress('/rpc/matrix?m=eth_chainId')
  expect(written).toEqual([])
})
