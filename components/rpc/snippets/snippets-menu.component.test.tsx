import { cleanup, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { SnippetsMenu } from '@/components/rpc/snippets/snippets-menu'
import { networkOf } from '@/lib/contract/rpc-networks'

function show(): void {
  const network = networkOf('base-sepolia')
  if (!network) throw new Error('The network is unknown')
  render(<SnippetsMenu network={network} calls={[{ method: 'eth_getBalance', params: [] }]} isBatch={false} />)
}

test('each snippet is a program, is copied, and the choice is remembered', async () => {
  const user = userEvent.setup()
  show()
  await user.click(screen.getByRole('button', { name: 'Snippet' }))
  const snippet = within(await screen.findByRole('dialog', { name: 'Snippet' }))
  expect(snippet.getAllByRole('tab').map((tab) => tab.textContent)).toEqual([
    'curl',
    'fetch',
    'viem',
    'ethers',
    'web3.js',
    'web3.py',
  ])
  await user.click(snippet.getByRole('tab', { name: 'viem' }))
  await user.click(snippet.getByRole('button', { name: 'Copy viem snippet' }))
  const copied = await navigator.clipboard.readText()
  expect(copied).toContain(`http('${window.location.origin}/api/v1/crypto/rpc/base-sepolia'`)
  expect(copied).toContain('process.env.API_KEY')
  expect(snippet.getByText((_, part) => part?.tagName === 'PRE' && part.textContent === copied)).toBeTruthy()
  await user.keyboard('{Escape}')
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Snippet' }))

  cleanup()
  show()
  await user.click(screen.getByRole('button', { name: 'Snippet' }))
  expect(await screen.findByRole('tab', { name: 'viem', selected: true })).toBeTruthy()
})
