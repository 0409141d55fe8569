import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { Dictation } from '@/components/chat/composer/dictation'
import { renderPart } from '@/components/testing/render'

afterEach(() => vi.unstubAllGlobals())

test('without a transcription model dictation says so, can be closed, and leaves the draft', async () => {
  const user = userEvent.setup()
  vi.stubGlobal('fetch', async () => Response.json({ object: 'list', data: [] }))
  const [setDraft, onClose] = [vi.fn(), vi.fn()]
  renderPart(<Dictation field={{ current: null }} setDraft={setDraft} onClose={onClose} />)
  const dictation = within(screen.getByRole('region', { name: 'Dictation' }))
  await waitFor(() => expect(dictation.getByRole('status').textContent).toBe('No transcription model is connected.'))
  await user.click(screen.getByRole('button', { name: 'Close' }))
  expect(onClose).toHaveBeenCalledOnce()
  expect(setDraft).not.toHaveBeenCalled()
})

test('a microphone that may not be used is said, with what to do', async () => {
  const user = userEvent.setup()
  vi.stubGlobal('fetch', async () => Response.json({ data: [{ id: 'ear', type: 'asr', model_spec: { name: 'Ear' } }] }))
  const getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError'))
  vi.stubGlobal('navigator', Object.assign(Object.create(navigator), { mediaDevices: { getUserMedia } }))
  const onClose = vi.fn()
  renderPart(<Dictation field={{ current: null }} setDraft={vi.fn()} onClose={onClose} />)
  const text = 'Microphone not found or blocked. Allow microphone access in your browser and try again.'
  expect(await screen.findByText(text)).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Close' }))
  expect(onClose).toHaveBeenCalledOnce()
})
