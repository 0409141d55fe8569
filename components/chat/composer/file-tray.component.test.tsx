import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { FileTray } from '@/components/chat/composer/file-tray'
import { renderPart } from '@/components/testing/render'
import { changeDraftFiles, type DraftFile, useDraftFiles } from '@/lib/browser/files/draft-file-state'
import { modelCard } from '@/lib/browser/files/testing'

const DRAFT = 'draft'
const MODEL = modelCard('atlas')

const reading = (name: string): DraftFile => ({
  id: name,
  name,
  size: 10,
  state: 'reading',
  file: new File(['x'], name),
  progress: { step: 'read', share: 0.5 },
})

const failed = (name: string): DraftFile => ({
  id: name,
  name,
  size: 10,
  state: 'failed',
  file: new File(['x'], name),
  reason: 'Unsupported file type.',
  canRetry: false,
})

function Tray() {
  const files = useDraftFiles(DRAFT)
  return (
    <FileTray
      chatId={null}
      draftId={DRAFT}
      files={files}
      model={MODEL}
      models={[MODEL]}
      onFit={() => undefined}
      onPickModel={() => undefined}
    />
  )
}

afterEach(() => changeDraftFiles(DRAFT, () => []))

test('a refused file is shown first, and below it stands which one and why', async () => {
  changeDraftFiles(DRAFT, () => [reading('a.txt'), reading('b.txt'), reading('c.txt'), failed('things.zip')])
  renderPart(<Tray />)
  const tiles = screen.getAllByRole('listitem')
  expect(tiles[0]?.getAttribute('aria-label')).toMatch(/^things\.zip, file 1 of 4/)
  const reasons = screen.getAllByRole('status').map(({ textContent }) => textContent)
  expect(reasons).toContain('things.zip: Unsupported file type.Remove the files marked in red to send.')
})

test('Delete on a refused file takes it away, and with it the reason', async () => {
  changeDraftFiles(DRAFT, () => [reading('a.txt'), failed('things.zip')])
  renderPart(<Tray />)
  const [tile] = screen.getAllByRole('listitem')
  tile?.focus()
  await userEvent.keyboard('{Delete}')
  expect(screen.queryByText(/Unsupported file type/)).toBeNull()
  expect(screen.getAllByRole('listitem')).toHaveLength(1)
})

test('a file that is still read can be cancelled', async () => {
  changeDraftFiles(DRAFT, () => [reading('long.txt'), reading('notes.txt')])
  renderPart(<Tray />)
  await userEvent.click(screen.getByRole('button', { name: 'Cancel long.txt' }))
  expect(screen.getAllByRole('listitem').map((tile) => tile.getAttribute('aria-label'))).toEqual([
    expect.stringMatching(/^notes\.txt, file 1 of 1/),
  ])
})
