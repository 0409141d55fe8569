import { screen, waitFor } from '@testing-library/react'
import userEvent, { type UserEvent } from '@testing-library/user-event'
import { AppRouterContext, type AppRouterInstance } from 'next/dist/shared/lib/app-router-context.shared-runtime'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { PaletteHost, provideNetworkSearch } from '@/components/palette/host'
import { rpcItems } from '@/components/rpc/palette-items'
import { renderPart } from '@/components/testing/render'
import { useShortcuts } from '@/lib/browser/commands'
import { closeOverlay } from '@/lib/browser/dialogs'
import { modelCard } from '@/lib/browser/files/testing'
import { readPreference } from '@/lib/browser/preferences'
import { modelsQuery } from '@/lib/browser/queries'

let pushed: string[] = []
let user: UserEvent

beforeEach(() => {
  pushed = []
  user = userEvent.setup()
  provideNetworkSearch(async () => rpcItems)
  const router = { push: (href: string) => void pushed.push(href) } as unknown as AppRouterInstance
  renderPart(
    <AppRouterContext value={router}>
      <Page />
    </AppRouterContext>,
    [[modelsQuery().queryKey, [modelCard('harbour-mini', { name: 'Harbour Mini' })]]],
  )
})

afterEach(closeOverlay)

function Page() {
  useShortcuts()
  return <PaletteHost />
}

/** Opens the palette with its key, types, moves to what is wanted, and takes it. */
async function pick(typed: string, wanted: RegExp): Promise<void> {
  await user.keyboard('{Control>}k{/Control}')
  await screen.findByRole('dialog', { name: 'Search and commands' })
  await user.paste(typed)
  const [option] = await screen.findAllByRole('option', { name: wanted })
  const chosen = () => screen.queryByRole('option', { selected: true })
  for (let step = 0; step < 30 && chosen() !== option; step += 1) await user.keyboard('{ArrowDown}')
  expect(chosen()).toBe(option)
  await user.keyboard('{Enter}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
}

test.each([
  ['#base balance', /^eth_getBalance/, /^\/rpc\/base-\w+\/eth_getBalance/],
  ['#polygon', /^Polygon/, /^\/rpc\/polygon-\w+$/],
  ['matrix', /^RPC matrix/, /^\/rpc\/matrix$/],
  ['>characters', /^Characters/, /^\/characters$/],
  ['>wallet', /^Wallet/, /^\/wallet$/],
  ['>spending caps', /^Set spending caps/, /^\/settings\/money#caps$/],
])('“%s” in the palette leads to a page', async (typed, wanted, address) => {
  await pick(typed, wanted)
  await waitFor(() => expect(pushed).toEqual([expect.stringMatching(address)]))
})

test('a model and a theme are chosen in the palette', async () => {
  await pick('harbour', /^Harbour Mini/)
  await waitFor(() => expect(readPreference('model')).toBe('harbour-mini'))
  await pick('>dark theme', /^Use dark theme/)
  await waitFor(() => expect(document.documentElement.dataset.theme).toBe('dark'))
})

test('the palette says that nothing was found', async () => {
  await user.keyboard('{Control>}k{/Control}')
  await screen.findByRole('dialog', { name: 'Search and commands' })
  await user.keyboard('>zzzz no such thing')
  expect(await screen.findByText('No results.')).toBeTruthy()
})
