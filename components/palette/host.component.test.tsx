import { fireEvent, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { AppRouterContext, type AppRouterInstance } from 'next/dist/shared/lib/app-router-context.shared-runtime'
import { expect, test } from 'vitest'
import { PaletteHost, provideNetworkSearch } from '@/components/palette/host'
import { renderPart } from '@/components/testing/render'
import { COMPOSER_ID, useShortcuts } from '@/lib/browser/commands'
import type { NetworkSearch } from '@/lib/browser/palette-items'
import { modelsQuery } from '@/lib/browser/queries'

function Page() {
  useShortcuts()
  return (
    <>
      <textarea id={COMPOSER_ID} aria-label="Message" />
      <PaletteHost />
    </>
  )
}

const twoFrames = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))

test('while its code loads the menu keeps the focus and what is typed, and closes by Escape or a press beside it', async () => {
  const user = userEvent.setup()
  const code = Promise.withResolvers<NetworkSearch>()
  provideNetworkSearch(() => code.promise)
  renderPart(
    <AppRouterContext value={{ push: () => {} } as unknown as AppRouterInstance}>
      <Page />
    </AppRouterContext>,
    [[modelsQuery().queryKey, []]],
  )
  const message = screen.getByRole('textbox', { name: 'Message' })

  // A new chat takes the focus a frame later, which the menu has by then.
  await user.keyboard('{Control>}{Shift>}o{/Shift}k{/Control}')
  await twoFrames()
  await user.keyboard('tides{Tab}!')
  const field = () => screen.getByRole('textbox', { name: 'Search and commands' })
  expect(document.activeElement).toBe(field())
  expect(field()).toHaveProperty('value', 'tides!')
  expect(message).toHaveProperty('value', '')

  await user.keyboard('{Escape}')
  expect(screen.queryByRole('dialog')).toBeNull()

  message.focus()
  await user.keyboard('{Control>}k{/Control}')
  fireEvent.pointerDown(screen.getByRole('dialog', { name: 'Search and commands' }))
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(document.activeElement).toBe(message)

  await user.keyboard('{Control>}k{/Control}wallet')
  code.resolve(() => [])
  expect(await screen.findByRole('combobox')).toHaveProperty('value', 'wallet')
})
