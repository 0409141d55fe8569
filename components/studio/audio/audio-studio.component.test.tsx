import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AudioStudio } from '@/components/studio/audio/audio-studio'
import { provideLocks } from '@/components/testing/locks'
import { renderPart } from '@/components/testing/render'
import { GUEST_SESSION } from '@/components/testing/replies'
import { SESSION_KEY } from '@/lib/browser/session'

const READER = {
  id: 'reader',
  type: 'music',
  model_spec: { name: 'Reader', voices: ['af_heart'], min_prompt_length: 1, prompt_character_limit: 10_000 },
}
const SPEAKER = {
  id: 'speaker',
  type: 'tts',
  model_spec: { name: 'Speaker', voices: ['af_heart'], pricing: { input: { usd: 1 } } },
}
const LISTENER = { id: 'listener', type: 'asr', model_spec: { name: 'Listener' } }
const TEXT = 'The tide comes in, and the tide goes out.'

const MODELS = [READER, SPEAKER, LISTENER]

/** The service as it answers the studio, while its list of models can be had or not. */
function serve(): { isAway: boolean } {
  const state = { isAway: false }
  vi.stubGlobal('fetch', async (path: string) => {
    if (path === '/api/v1/audio/quote') return Response.json({ quote: 0.0084 })
    if (path === '/api/session') return Response.json(GUEST_SESSION)
    if (path === '/api/v1/audio/queue') return Response.json({ model: 'reader', queue_id: 'job-1', status: 'QUEUED' })
    if (path === '/api/v1/audio/retrieve')
      return Response.json({ status: 'PROCESSING', average_execution_time: 60_000, execution_duration: 1_000 })
    if (path === '/api/v1/audio/complete') return Response.json({ success: true })
    if (path.startsWith('/api/charges/')) return Response.json({ state: 'settled', charged: 0 })
    if (!path.startsWith('/api/v1/models')) return Response.json({})
    if (state.isAway) return Response.json({ error: 'away' }, { status: 503 })
    return Response.json({ object: 'list', data: MODELS.filter(({ type }) => path.endsWith(`=${type}`)) })
  })
  return state
}

const show = () => renderPart(<AudioStudio />, [[SESSION_KEY, null]])
const form = () => within(screen.getByRole('region', { name: 'Generation settings' }))
const field = () => form().findByRole<HTMLTextAreaElement>('textbox', { name: 'Text' })
const generate = () => form().getByRole<HTMLButtonElement>('button', { name: /^Generate/ })

async function goOnline(isOnline: boolean): Promise<void> {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(isOnline)
  await act(async () => window.dispatchEvent(new Event(isOnline ? 'online' : 'offline')))
}

provideLocks()
beforeEach(() => sessionStorage.clear())
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

test('without a connection nothing can be generated, and with it again it can', async () => {
  const user = userEvent.setup()
  serve()
  show()
  await user.click(form().getByText('Sound'))
  await user.type(await field(), TEXT)
  expect(await form().findByText('$0.0084')).toBeTruthy()
  expect(generate().disabled).toBe(false)
  await goOnline(false)
  expect(form().getByText('You’re offline. Your text is saved.')).toBeTruthy()
  expect(generate().disabled).toBe(true)
  await goOnline(true)
  expect(generate().disabled).toBe(false)
})

test('models that cannot be loaded are asked for again, and what was written is still there', async () => {
  const user = userEvent.setup()
  const service = serve()
  const { unmount } = show()
  await user.click(form().getByText('Sound'))
  await user.clear(await field())
  await user.type(await field(), TEXT)
  expect(await form().findByText('$0.0084')).toBeTruthy()
  unmount()

  service.isAway = true
  show()
  expect(await form().findByText('The models could not be loaded.')).toBeTruthy()
  service.isAway = false
  await user.click(form().getByRole('button', { name: 'Try again' }))
  expect((await field()).value).toBe(TEXT)
  expect(await form().findByText('$0.0084')).toBeTruthy()
})

test('a sound that is cancelled while it is made says so, cost nothing, and can be deleted', async () => {
  const user = userEvent.setup()
  serve()
  renderPart(<AudioStudio />, [[SESSION_KEY, GUEST_SESSION.session]])
  await user.click(form().getByText('Sound'))
  await user.clear(await field())
  await user.type(await field(), TEXT)
  await form().findByText('$0.0084')
  await user.click(generate())
  const card = within(await screen.findByRole('article'))
  await user.click(await card.findByRole('button', { name: 'Cancel' }))
  expect(await card.findByText('Cancelled.')).toBeTruthy()
  expect(await card.findByText('You were not charged.')).toBeTruthy()
  await user.click(card.getByRole('button', { name: 'Delete' }))
  await waitFor(() => expect(screen.queryByRole('article')).toBeNull())
})

test('speech is priced by its characters, and a text that is too long is refused', async () => {
  const user = userEvent.setup()
  serve()
  show()
  await user.click(form().getByText('Speech'))
  const text = await field()
  const make = form().getByRole<HTMLButtonElement>('button', { name: /^Generate speech/ })
  await user.clear(text)
  expect(make.disabled).toBe(true)
  fireEvent.change(text, { target: { value: 'x'.repeat(4_097) } })
  expect(form().getByText(/^Enter up to 4,096 characters\./)).toBeTruthy()
  expect(make.disabled).toBe(true)
  fireEvent.change(text, { target: { value: 'The library closes early. High water is at nine.' } })
  expect(form().getByText('$0.000048')).toBeTruthy()
  expect(make.disabled).toBe(false)
})

test('a file without sound is not transcribed', async () => {
  const user = userEvent.setup()
  serve()
  show()
  await user.click(form().getByText('Transcript'))
  const song = new File(['no sound at all'], 'song.mp3', { type: 'audio/mpeg' })
  await user.upload(await form().findByLabelText('Audio or video'), song)
  expect(await form().findByText(/^“song\.mp3” is not an audio or video file/)).toBeTruthy()
  expect(form().getByRole<HTMLButtonElement>('button', { name: /^Transcribe/ }).disabled).toBe(true)
})
