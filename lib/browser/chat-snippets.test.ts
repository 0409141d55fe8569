import { expect, test } from 'vitest'
import { chatSnippet } from '@/lib/browser/chat-snippets'

const BODY = {
  model: 'atlas',
  messages: [
    { role: 'system' as const, content: "It's \u202etide" },
    {
      role: 'user' as const,
      content: [
        { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,…' } },
        { type: 'text' as const, text: 'What is it?' },
      ],
    },
  ],
  service_parameters: { enable_web_search: 'on' },
}
const ORIGIN = 'https://lagoon.example'

test.each(['curl', 'typescript', 'python'] as const)('%s names the service and the key', (kind) => {
  const text = chatSnippet(kind, BODY, ORIGIN)
  expect(text).toContain(`${ORIGIN}/api/v1`)
  expect(text).toContain('API_KEY')
  expect(text).toContain('atlas')
  expect(text).toContain('enable_web_search')
  expect(text).not.toContain('\u202e')
})

test('the body of the curl program is the request itself', () => {
  const text = chatSnippet('curl', BODY, ORIGIN)
  const json = text.slice(text.indexOf("-d '") + 4, -1).replaceAll(String.raw`'\''`, "'")
  expect(JSON.parse(json)).toMatchObject({ model: 'atlas', stream: true, service_parameters: BODY.service_parameters })
})

test('python gives what its client does not know as an extra', () => {
  const text = chatSnippet('python', BODY, ORIGIN)
  expect(text).toContain('extra_body={"service_parameters": {"enable_web_search": "on"}}')
  expect(text).toContain('stream=True')
})
