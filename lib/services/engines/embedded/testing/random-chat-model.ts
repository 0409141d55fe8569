import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type ChatPoolOptions, ManagedChatModel } from '@/lib/services/engines/embedded/chat/process'
import { writeRandomGguf } from '@/lib/services/engines/embedded/testing/random-gguf'
import type { ChatEvent, ChatRequest } from '@/lib/services/engines/engine'

export const CONTEXT_TOKENS = 512

export async function randomChatModel(
  options: Partial<ChatPoolOptions> = {},
): Promise<{ room: ManagedChatModel; close: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'random-room-'))
  const file = path.join(folder, 'model.gguf')
  await writeRandomGguf(file)
  const room = new ManagedChatModel({
    name: 'random',
    model: {
      contextTokens: CONTEXT_TOKENS,
      sequences: 2,
      threads: 1,
      // The most probable token each time: the same text for the same prompt, and it does not end by itself.
      defaults: { temperature: 0, topP: 1, topK: 0, repetitionPenalty: 1 },
      turnMarks: [],
    },
    findWeights: async () => file,
    maxQueued: 2,
    idleMs: 60_000,
    ...options,
  })
  return {
    room,
    close: async () => {
      room.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export function chatRequest(more: Partial<ChatRequest> = {}): ChatRequest {
  return {
    model: 'random',
    messages: [{ role: 'user', content: 'hello' }],
    sampling: {},
    n: 1,
    maxTokens: 100,
    stop: [],
    extra: {},
    ...more,
  }
}

export async function collect(events: AsyncIterable<ChatEvent>) {
  const texts: string[] = []
  const calls: { id?: string; name?: string; arguments: string }[] = []
  const reasons: string[] = []
  const all: ChatEvent[] = []
  for await (const event of events) {
    all.push(event)
    if (event.type === 'text-delta') texts[event.choice] = (texts[event.choice] ?? '') + event.text
    if (event.type === 'tool-call-delta') {
      const { id, name, arguments: text } = event
      if (id !== undefined) calls[event.choice] = { id, name, arguments: text }
      else calls[event.choice]!.arguments += text
    }
    if (event.type === 'choice-end') reasons[event.choice] = event.reason
  }
  const usage = all.find((event) => event.type === 'usage')
  const logprobs = all.flatMap((event) => (event.type === 'text-delta' ? (event.logprobs ?? []) : []))
  return { text: texts[0] ?? '', texts, calls, reasons, usage, logprobs, events: all }
}
