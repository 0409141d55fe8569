import { fireEvent, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { AppRouterContext, type AppRouterInstance } from 'next/dist/shared/lib/app-router-context.shared-runtime'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { LoadingPalette } from '@/components/palette/host'
import { renderPart } from '@/components/testing/render'
import { COMPOSER_ID, useShortcuts } from '@/lib/browser/commands'
import { closeOverlay, useOverlay } from '@/lib/browser/dialogs'

function Page() {
  const [typed, setTyped] = useState('')
  const isOpen = useOverlay() !== undefined
  useShortcuts()
  return (
    <>
      <textarea id={COMPOSER_ID} aria-label="Message" />
      {isOpen && <LoadingPalette typed={typed} onType={setTyped} onClose={closeOverlay} />}
    </>
  )
}

const twoFrames = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))

test('while its code loads the menu keeps the focus and what is typed, and closes by Escape or a press beside it', async () => {
  // Without a pause between keys: the menu is opened within the frame of the new chat.
  const user = userEvent.setup({ delay: null })
  renderPart(
    <AppRouterContext value={{ push: () => {} } as unknown as AppRouterInstance}>
      <Page />
    </AppRouterContext>,
  )

  await user.keyboard('{Control>}{Shift>}o{/Shift}k{/Control}')
  await twoFrames()
  await user.keyboard('tides{Tab}!')
  const field = screen.getByRole('textbox', { name: 'Search and commands' })
  expect(document.activeElement).toBe(field)
  expect(field).toHaveProperty('value', 'tides!')
  expect(screen.getByRole('textbox', { name: 'Message', hidden: true })).toHaveProperty('value', '')

  await user.keyboard('{Escape}')
  expect(screen.queryByRole('dialog')).toBeNull()

  await user.keyboard('{Control>}k{/Control}')
  fireEvent.pointerDown(screen.getByRole('textbox', { name: 'Search and commands' }))
  fireEvent.pointerDown(screen.getByRole('dialog', { name: 'Search and commands' }))
  expect(screen.queryByRole('dialog')).toBeNull()
})
