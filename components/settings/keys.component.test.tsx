import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { AppRouterContext, type AppRouterInstance } from 'next/dist/shared/lib/app-router-context.shared-runtime'
import { afterEach, expect, test } from 'vitest'
import { KeySettings } from '@/components/settings/keys'
import { renderPart } from '@/components/testing/render'
import { useShortcuts } from '@/lib/browser/commands'
import { closeOverlay, useOverlay } from '@/lib/browser/dialogs'
import { readPreference } from '@/lib/browser/preferences'

function Page() {
  useShortcuts()
  const overlay = useOverlay()
  return (
    <main tabIndex={-1}>
      <p>{overlay?.kind ?? 'nothing'} is open</p>
      <KeySettings />
    </main>
  )
}

/** Renders the settings of shortcuts on a page that listens to them. Returns the addresses that it goes to. */
function showKeys(): string[] {
  const pushed: string[] = []
  const router = { push: (href: string) => void pushed.push(href) } as unknown as AppRouterInstance
  renderPart(
    <AppRouterContext value={router}>
      <Page />
    </AppRouterContext>,
  )
  return pushed
}

const rowOf = (name: string) => {
  const rows = within(screen.getByRole('list', { name: 'Keys' })).getAllByRole('listitem')
  const row = rows.find(({ textContent }) => textContent?.startsWith(name))
  if (!row) throw new Error(`No keys of ${name}`)
  return row
}
const LEDGER = 'Show or hide cost ledger'
const keysOf = (name: string) => rowOf(name).querySelector('kbd')?.textContent

afterEach(closeOverlay)

test('a shortcut gets other keys: those of another are named as such, and the old ones do nothing more', async () => {
  const user = userEvent.setup()
  showKeys()
  await user.click(screen.getByRole('button', { name: `Change shortcut for ${LEDGER}` }))
  await waitFor(() => expect(document.activeElement?.textContent).toMatch(/^New shortcut for/))
  await user.keyboard('{Control>}b{/Control}')
  expect(
    screen.getByText('Already used by “Show or hide sidebar”. Reassigning removes the shortcut there.'),
  ).toBeTruthy()
  await user.keyboard('{Alt>}x{/Alt}')
  await user.click(screen.getByRole('button', { name: 'Save shortcut' }))
  expect(readPreference('ledger')).toBe('shown')

  await user.keyboard('l')
  expect(readPreference('ledger')).toBe('shown')
  await user.keyboard('{Alt>}x{/Alt}')
  expect(readPreference('ledger')).toBe('hidden')

  await user.click(screen.getByRole('button', { name: 'Reset all shortcuts' }))
  expect(keysOf(LEDGER)).toBe('L')
  await user.keyboard('l')
  expect(readPreference('ledger')).toBe('shown')
})

test('where single letters are switched off, only they do nothing', async () => {
  const user = userEvent.setup()
  const pushed = showKeys()
  const switchLetters = async (name: string) => {
    await user.click(within(screen.getByRole('group', { name: 'Single-key shortcuts' })).getByText(name))
    // A choice is a field of its own, where letters are no shortcuts.
    screen.getByRole('main').focus()
  }
  await switchLetters('Off')
  await user.keyboard('?')
  expect(screen.getByText('nothing is open')).toBeTruthy()
  await user.keyboard('{Control>}.{/Control}')
  expect(pushed).toEqual(['/settings'])
  await switchLetters('On')
  await user.keyboard('?')
  expect(screen.getByText('shortcuts is open')).toBeTruthy()
})
