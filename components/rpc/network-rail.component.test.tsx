import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { NetworkRail } from '@/components/rpc/network-rail'
import { overviewQuery } from '@/components/rpc/networks'
import { renderPart } from '@/components/testing/render'
import { overviewOf } from '@/components/testing/rpc-playground'
import { networkOf, type RpcNetwork, type RpcSlug } from '@/lib/contract/rpc-networks'

function show(onPick: (network: RpcNetwork) => void = () => undefined): HTMLElement {
  const chosen = networkOf('base-mainnet')
  if (!chosen) throw new Error('The network is unknown')
  const unconnected: RpcSlug[] = ['starknet-mainnet', 'starknet-sepolia']
  const { usdPerCredit, networks } = overviewOf(unconnected)
  const overview = { usdPerCredit, stateOf: new Map(networks.map((state) => [state.slug, state])) }
  return renderPart(<NetworkRail chosen={chosen} onPick={onPick} />, [[overviewQuery().queryKey, overview]]).container
}

const rows = (container: HTMLElement) => [...container.querySelectorAll<HTMLElement>('[data-network]')]

test('networks are found by type and search, and each says how it is', async () => {
  const user = userEvent.setup()
  const rail = show()
  expect(rows(rail)).toHaveLength(21)
  expect(screen.getByRole('button', { name: /^up: Base Mainnet/ })).toBeTruthy()
  expect(screen.getByRole('button', { name: /^not connected: Starknet Mainnet/ })).toBeTruthy()
  expect(rail.textContent).toContain('Local test copies of each network.')
  // How an operator connects a node is for the documentation, not for visitors.
  expect(rail.textContent).not.toContain('RPC_URLS')
  const avalanche = within(screen.getByRole('region', { name: 'Avalanche' })).getAllByRole('listitem')
  expect(avalanche.at(0)?.textContent).toContain('Mainnet')
  expect(avalanche.at(-1)?.textContent).toContain('Fuji')

  await user.click(screen.getByRole('radio', { name: 'Testnet' }))
  expect(rows(rail)).toHaveLength(11)
  await user.type(screen.getByRole('searchbox', { name: 'Search networks' }), '8453')
  expect(screen.getByText('No results.')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Show all' }))
  expect(rows(rail)).toHaveLength(21)
})

test('arrows lead from the search through the networks that were found', async () => {
  const user = userEvent.setup()
  const onPick = vi.fn()
  const rail = show(onPick)
  await user.type(screen.getByRole('searchbox', { name: 'Search networks' }), 'sepolia')
  await waitFor(() => expect(rows(rail).length).toBeLessThan(21))
  await user.keyboard('{ArrowDown}{ArrowDown}')
  expect(document.activeElement).toBe(rows(rail)[1])
  await user.keyboard('{Enter}')
  expect(onPick.mock.lastCall?.[0]).toMatchObject({ slug: rows(rail)[1]?.dataset.network })
})
