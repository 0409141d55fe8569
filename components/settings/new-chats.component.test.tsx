import { act, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { DataLeaving } from '@/components/settings/data-leaving'
import { NewChats } from '@/components/settings/new-chats'
import { closeChatPage, openChatPage } from '@/components/testing/chat-page'
import { renderPart } from '@/components/testing/render'
import { newChat } from '@/lib/browser/commands'
import { modelCard } from '@/lib/browser/files/testing'
import { modelsQuery } from '@/lib/browser/queries'

const ATLAS = modelCard('atlas-large', { name: 'Atlas Large' })
const HARBOUR = modelCard('harbour-mini', { name: 'Harbour Mini', privacy: 'private' })

afterEach(closeChatPage)

test('the prompt and the model of the settings are those of a new chat, and listed as data that leaves', async () => {
  const user = userEvent.setup()
  const settings = renderPart(<NewChats />, [[modelsQuery().queryKey, [ATLAS, HARBOUR]]])
  await user.type(screen.getByRole('textbox', { name: 'System prompt' }), 'Answer in verse.')
  await user.selectOptions(screen.getByRole('combobox', { name: 'Default model' }), 'harbour-mini')
  settings.unmount()

  const leaving = renderPart(<DataLeaving chatId={null} model={HARBOUR} />)
  expect(await screen.findByText('System prompt')).toBeTruthy()
  expect(screen.getByText('Harbour Mini: private')).toBeTruthy()
  leaving.unmount()

  act(() => newChat())
  const page = await openChatPage()
  expect(screen.getByRole('button', { name: 'Model: Harbour Mini' })).toBeTruthy()
  await page.ask('Who is there?')
  await screen.findByRole('button', { name: /^Receipt/ })
  expect(page.requests[0]).toMatchObject({ model: 'harbour-mini' })
  expect(JSON.stringify(page.requests[0]?.messages)).toContain('Answer in verse.')
})
