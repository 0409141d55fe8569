import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { renderPart } from '@/components/testing/render'
import { VaultSetting } from '@/components/vault/vault-setting'

test('the vault is turned on with a passphrase of eight characters that is typed twice', async () => {
  const user = userEvent.setup()
  renderPart(<VaultSetting />)
  await user.click(screen.getByRole('button', { name: 'Turn on vault' }))
  const turnOn = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Turn on and lock' })
  const first = await screen.findByLabelText('New passphrase')
  await user.type(first, 'short')
  expect(screen.getByText(/^At least 8 characters\./)).toBeTruthy()
  const second = screen.getByLabelText('Confirm passphrase')
  await user.type(second, 'short')
  expect(turnOn().disabled).toBe(true)
  await user.type(first, ' otter lamp')
  expect(screen.getByText('The passphrases do not match.')).toBeTruthy()
  expect(turnOn().disabled).toBe(true)
  await user.type(second, ' otter lamp')
  await waitFor(() => expect(turnOn().disabled).toBe(false))
  expect(screen.queryByText('The passphrases do not match.')).toBeNull()
})
