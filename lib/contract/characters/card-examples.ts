import type { CharacterMessage } from '@/lib/contract/characters/schema'

const SPEAKER = /^[ \t]*(\{\{\s*char\s*\}\}|\{\{\s*user\s*\}\}|<bot>|<user>)[ \t]*:/gim

/** The turns of a card's example conversations: `{{user}}: …` and `{{char}}: …`, with `<START>` before each of them. */
export function exampleMessages(text: string): CharacterMessage[] {
  return text.split(/<START>/i).flatMap((conversation) => {
    const starts = [...conversation.matchAll(SPEAKER)]
    return starts.map((start, index): CharacterMessage => {
      const content = conversation.slice(start.index + start[0].length, starts[index + 1]?.index).trim()
      return { role: /user/i.test(start[1] ?? '') ? 'user' : 'assistant', content }
    })
  })
}

/** The text that `exampleMessages` reads. */
export function exampleText(messages: CharacterMessage[]): string {
  if (messages.length === 0) return ''
  const lines = messages.map(({ role, content }) => `{{${role === 'user' ? 'user' : 'char'}}}: ${content}`)
  return ['<START>', ...lines].join('\n')
}
