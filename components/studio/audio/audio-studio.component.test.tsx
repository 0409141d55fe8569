import { act, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AudioStudio } from '@/components/studio/audio/audio-studio'
import { provideLocks } from '@/components/testing/locks'
import { renderPart } from '@/components/testing/render'
import { SESSION_KEY } from '@/lib/browser/session'

const READER = {
  id: 'reader',
  type: 'music',
  model_spec: { name: 'Reader', voices: ['af_heart'], min_prompt_length: 1, prompt_character_limit: 10_000 },
}
const TEXT = 'The tide comes in, and the tide goes out.'

/** The service as it answers the studio, while its list of models can be had or not. */
function serve(): { isAway: boolean } {
  const state = { isAway: false }
  vi.stubGlobal('fetch', async (path: string) => {
    if (path === '/api/v1/audio/quote') return Response.json({ quote: 0.0084 })
    if (!path.startsWith('/api/v1/models')) return Response.json({})
    if (state.isAway) return Response.json({ error: 'away' }, { status: 503 })
    return Response.json({ object: 'list', data: path.endsWith('=music') ? [READER] : [] })
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
