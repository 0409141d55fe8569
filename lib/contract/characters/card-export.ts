import type { CharacterMessage, FullCharacter } from '@/lib/contract/characters/character.schema'

export type Exported = Pick<
  FullCharacter,
  | 'name'
  | 'description'
  | 'author'
  | 'prompt'
  | 'greeting'
  | 'context'
  | 'tags'
  | 'categories'
  | 'webEnabled'
  | 'adult'
  | 'replacesServicePrompt'
  | 'createdAt'
  | 'updatedAt'
> & { modelId: string | null }

/** Builds a card of version 2 or 3, which `parseCard` reads back unchanged. */
export function cardOf(character: Exported, spec: 'v2' | 'v3'): object {
  const data = { ...common(character), ...(spec === 'v3' && onlyInV3(character)) }
  return spec === 'v2'
    ? { spec: 'chara_card_v2', spec_version: '2.0', data }
    : { spec: 'chara_card_v3', spec_version: '3.0', data }
}

function common(character: Exported) {
  const { name, description, author, prompt, greeting, context, tags, replacesServicePrompt } = character
  const { categories, modelId, webEnabled, adult } = character
  const examples = exampleText(context)
  return {
    name,
    // A system prompt of a card stands in place of the frontend's own; a description is added to it.
    description: replacesServicePrompt ? '' : prompt,
    system_prompt: replacesServicePrompt ? prompt : '',
    personality: '',
    scenario: '',
    first_mes: greeting,
    mes_example: examples,
    creator_notes: description ?? '',
    post_history_instructions: '',
    alternate_greetings: [],
    tags,
    creator: author,
    character_version: '1',
    extensions: {
      service: { categories, modelId, webEnabled, adult, context: { text: examples, messages: context } },
    },
  }
}

function onlyInV3({ createdAt, updatedAt }: Exported) {
  return {
    group_only_greetings: [],
    creation_date: Math.floor(Date.parse(createdAt) / 1_000),
    modification_date: Math.floor(Date.parse(updatedAt) / 1_000),
    assets: [{ type: 'icon', uri: 'ccdefault:', name: 'main', ext: 'png' }],
  }
}

const SPEAKER = /^[ \t]*(\{\{\s*char\s*\}\}|\{\{\s*user\s*\}\}|<bot>|<user>)[ \t]*:/gim

export function exampleMessages(text: string): CharacterMessage[] {
  return text.split(/<START>/i).flatMap((conversation) => {
    const starts = [...conversation.matchAll(SPEAKER)]
    return starts.map((start, index): CharacterMessage => {
      const content = conversation.slice(start.index + start[0].length, starts[index + 1]?.index).trim()
      return { role: /user/i.test(start[1] ?? '') ? 'user' : 'assistant', content }
    })
  })
}

export function exampleText(messages: CharacterMessage[]): string {
  if (messages.length === 0) return ''
  const lines = messages.map(({ role, content }) => `{{${role === 'user' ? 'user' : 'char'}}}: ${content}`)
  return ['<START>', ...lines].join('\n')
}
