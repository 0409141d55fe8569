import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { closePlayground, openPlayground, type PlaygroundPage, pickMethod } from '@/components/testing/rpc-playground'

afterEach(closePlayground)

const shelf = () => screen.getByRole('region', { name: 'History and saved requests' })
const rows = () => within(screen.getByRole('region', { name: 'Saved requests' })).queryAllByRole('listitem')
const rowCount = (count: number) => waitFor(() => expect(rows()).toHaveLength(count))

async function save({ user }: PlaygroundPage, name: string, collection: string): Promise<void> {
  await user.click(screen.getByRole('button', { name: 'Save request' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Save request' }))
  await user.clear(dialog.getByRole('textbox', { name: 'Name' }))
  await user.paste(name)
  await user.click(dialog.getByRole('combobox', { name: 'Collection' }))
  await user.paste(collection)
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Save request' })).toBeNull())
}

async function exported({ user }: PlaygroundPage): Promise<string> {
  const files: Blob[] = []
  vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => {
    if (file instanceof Blob) files.push(file)
    return 'blob:saved'
  })
  // A document that is no browser would open the link.
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockReturnValue(undefined)
  await user.click(screen.getByRole('button', { name: 'Export' }))
  return (await files[0]?.text()) ?? ''
}

const importText = ({ user }: PlaygroundPage, text: string) =>
  user.upload(
    screen.getByLabelText('Saved requests file'),
    new File([text], 'saved.json', { type: 'application/json' }),
  )

test('a request is saved into a collection, exported, deleted, restored, renamed, imported and opened', async () => {
  const page = await openPlayground('/rpc/base-mainnet/eth_getBalance')
  const { user } = page
  await save(page, 'Burnt money', 'Sinks')
  await pickMethod(page, 'eth_gasPrice')
  await save(page, 'Gas now', '')
  await user.click(screen.getByRole('tab', { name: 'Saved' }))
  await screen.findByRole('region', { name: 'Saved requests' })
  await rowCount(2)

  const file = JSON.parse(await exported(page))
  expect(file).toMatchObject({ requests: [{ name: 'Gas now' }, { name: 'Burnt money', folder: 'Sinks' }] })

  await user.click(screen.getByRole('button', { name: 'Delete Sinks' }))
  await rowCount(1)
  await user.click(await screen.findByRole('button', { name: 'Undo' }))
  await rowCount(2)
  await user.click(screen.getByRole('button', { name: 'More actions for Gas now' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Rename' }))
  const name = await screen.findByRole('textbox', { name: 'Request name' })
  await user.clear(name)
  await user.type(name, 'Gas price{Enter}')
  await waitFor(() => expect(rows().filter((row) => row.textContent?.includes('Gas price'))).toHaveLength(1))

  await user.click(screen.getByRole('button', { name: 'Delete Sinks' }))
  await rowCount(1)
  file.requests.push({ name: '<img src=x>', network: 'nowhere', calls: [] })
  await importText(page, JSON.stringify(file))
  expect(await within(shelf()).findByText('2 added.')).toBeTruthy()
  expect(shelf().textContent).toContain('Request 3: unknown network “nowhere”.')
  await rowCount(3)
  await importText(page, '{"kind":"else"}')
  await waitFor(() => expect(shelf().textContent).toContain('contains no saved requests'))

  await user.click(within(shelf()).getByRole('button', { name: /^Burnt money/ }))
  expect(window.location.pathname).toBe('/rpc/base-mainnet/eth_getBalance')
  expect(screen.getByRole('button', { name: 'Method: eth_getBalance' })).toBeTruthy()
})
