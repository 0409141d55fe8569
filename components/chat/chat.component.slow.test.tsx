import { act, screen, waitFor, within } from '@testing-library/react'
import { afterEach, describe, expect, test } from 'vitest'
import { Starters } from '@/components/chat/chat'
import { answered, answers, closeChatPage, openChatPage, questions } from '@/components/testing/chat-page'
import { renderPart } from '@/components/testing/render'
import { sessionQuery } from '@/lib/browser/queries'
import { setNextTemporary } from '@/lib/browser/temporary-chat'

describe('conversation starters', () => {
  const showStarters = () => renderPart(<Starters />, [[sessionQuery().queryKey, { sandbox: true }]])
  afterEach(() => act(() => setNextTemporary(false)))

  test('a chat that is kept says where', () => {
    showStarters()
    expect(screen.getByText('Chats stay on this device')).toBeTruthy()
  })

  test('a temporary chat says that nothing is stored, and not that it stays', async () => {
    showStarters()
    await act(() => setNextTemporary(true))
    expect(screen.getByText('Nothing is stored on this device')).toBeTruthy()
    expect(screen.queryByText('Chats stay on this device')).toBeNull()
  })
})

const FAILED_SEARCH = 'Web search failed. This answer does not use the web.'

describe('chat', () => {
  afterEach(closeChatPage)

  const textOf = (element: HTMLElement | undefined) => element?.textContent ?? ''
  const button = (name: string | RegExp) => screen.getByRole('button', { name })
  const field = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' })
  const queue = () => screen.queryByRole('list', { name: 'Queued messages' })

  test('a new version that is stopped before its first word gives the old one back; a failed one stays', async () => {
    const page = await openChatPage()
    page.next({ text: 'The old answer.' })
    await page.ask('Tell me')
    await answered()
    page.next({ staysOpen: true })
    await page.press('Regenerate')
    await waitFor(() => expect(textOf(answers()[0])).not.toContain('The old answer.'))
    await page.press('Stop')
    await waitFor(() => expect(textOf(answers()[0])).toContain('The old answer.'))
    await waitFor(() => expect(button('Regenerate').hasAttribute('disabled')).toBe(false))
    expect(screen.queryByText(/Nothing was written/)).toBeNull()
    expect(screen.queryByRole('group', { name: 'Versions' })).toBeNull()

    page.next({ refusal: 400 })
    await page.press('Regenerate')
    await waitFor(() => expect(textOf(screen.getByRole('group', { name: 'Versions' }))).toContain('2/2'))
    await page.press('Earlier version')
    await waitFor(() => expect(textOf(answers()[0])).toContain('The old answer.'))
  })

  test('an answer says how its web search ended, also after a reload', async () => {
    const page = await openChatPage()
    page.next({ text: 'Madrid.', search: 'nothing_found' })
    await page.ask('What is the capital of Spain?')
    await answered()
    expect(textOf(answers()[0])).toContain('Searched the web: no results found')
    page.next({ text: 'Four.', search: 'not_needed' })
    await page.ask('What is two and two?')
    await answered(2)
    expect(textOf(answers()[1])).toContain('Web search not needed')
    page.next({ text: 'Porto.', search: 'failed' })
    await page.ask('What is the capital of Portugal?')
    await answered(3)
    const endings = ['Searched the web: no results found', 'Web search not needed', FAILED_SEARCH]
    expect(textOf(answers()[2])).toContain(FAILED_SEARCH)
    await page.reload()
    await answered(3)
    for (const [at, ending] of endings.entries()) expect(textOf(answers()[at])).toContain(ending)
  })

  test('an answer of a comparison can be kept while the other is written', async () => {
    const page = await openChatPage()
    await page.press('Compare with another model')
    await page.press('Use this model')
    expect(await screen.findByRole('region', { name: 'Two models' })).toBeTruthy()
    page.next({ text: 'Quick.' })
    page.next({ staysOpen: true })
    await page.ask('Who is first?')
    const keep = () =>
      screen.queryAllByRole('button', { name: /^Keep this answer/ }).filter((one) => !one.hasAttribute('disabled'))
    await waitFor(() => expect(keep()).toHaveLength(1))
    const [first] = keep()
    if (first) await page.user.click(first)
    await waitFor(() => expect(answers()).toHaveLength(1))
    expect(textOf(answers()[0])).toContain('Quick.')
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Stop' })).toBeNull())
  })

  test('messages written during an answer wait in a queue, can be edited, and one can be sent at once', async () => {
    const page = await openChatPage()
    page.next({ text: 'The sea was calm', staysOpen: true })
    page.next({ text: 'The second answer.' })
    await page.ask('Tell a story')
    await waitFor(() => expect(textOf(answers()[0])).toContain('The sea was calm'))
    for (const question of ['And then?', 'Not this']) {
      await page.user.type(field(), `${question}{Enter}`)
      expect(
        await within(await screen.findByRole('list', { name: 'Queued messages' })).findByText(question),
      ).toBeTruthy()
    }
    const edits = screen.getAllByRole('button', { name: 'Edit queued message' })
    const last = edits.at(-1)
    if (last) await page.user.click(last)
    await waitFor(() => expect(field().value).toBe('Not this'))
    expect(screen.getAllByRole('button', { name: 'Edit queued message' })).toHaveLength(1)
    expect(button('Stop')).toBeTruthy()
    await page.press('Stop the answer and send now')
    await waitFor(() => expect(textOf(answers().at(-1))).toContain('The second answer.'))
    expect(textOf(questions().at(-1))).toContain('And then?')
    await waitFor(() => expect(queue()).toBeNull())
  })

  test('a queued message is sent when the answer ends; after a stop it waits, also over a reload', async () => {
    const page = await openChatPage()
    const { promise: read, resolve: end } = Promise.withResolvers<void>()
    page.next({ text: 'The sea was calm', until: read })
    page.next({ text: 'The second answer.' })
    await page.ask('First')
    await waitFor(() => expect(textOf(answers()[0])).toContain('The sea was calm'))
    await page.user.type(field(), 'Second{Enter}')
    await waitFor(() => expect(textOf(queue() ?? undefined)).toContain('Second'))
    expect(page.requests).toHaveLength(1)
    end()
    await answered(2)
    expect(queue()).toBeNull()
    expect(textOf(questions().at(-1))).toContain('Second')

    page.next({ text: 'A third answer', staysOpen: true })
    await page.ask('Third')
    await waitFor(() => expect(textOf(answers().at(-1))).toContain('A third answer'))
    await page.user.type(field(), 'Fourth{Enter}')
    await waitFor(() => expect(textOf(queue() ?? undefined)).toContain('Fourth'))
    await page.press('Stop')
    await screen.findByText('Stopped. You paid for the text so far.')
    expect(textOf(queue() ?? undefined)).toContain('Fourth')
    await page.reload()
    await waitFor(() => expect(textOf(queue() ?? undefined)).toContain('Fourth'))
    expect(page.requests).toHaveLength(3)
    await page.press('Stop the answer and send now')
    await waitFor(() => expect(textOf(questions().at(-1))).toContain('Fourth'))
    await waitFor(() => expect(queue()).toBeNull())
    expect(page.requests).toHaveLength(4)
  })
})
