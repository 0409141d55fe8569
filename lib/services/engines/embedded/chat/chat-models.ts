import 'server-only'
import { availableParallelism } from 'node:os'
import type { ModelOptions } from '@/lib/services/engines/embedded/chat/chat-protocol'
import type { ChatWeightsName } from '@/lib/services/engines/embedded/weights/table'

/** How an embedded chat model is run. Speeds and choices: docs/adr/0001 and the comments here. */
export type EmbeddedChatModel = { name: ChatWeightsName; options: Omit<ModelOptions, 'modelPath'> }

const PARALLEL_REQUESTS = 2

/** Both models lose the thread at higher temperatures. */
const CALM = { temperature: 0.3, topP: 0.9, topK: 40 }

/** The models of a profile; the first is the one to load at the start. */
export function chatModelsOf(profile: 'standard' | 'lean'): EmbeddedChatModel[] {
  return profile === 'standard' ? [tinyLlama(), miniMind()] : [miniMind()]
}

function tinyLlama(): EmbeddedChatModel {
  return {
    name: 'tinyllama-1.1b-chat',
    options: {
      contextTokens: 2048,
      sequences: PARALLEL_REQUESTS,
      threads: modelThreads(availableParallelism()),
      // It repeats itself without the penalty.
      defaults: { ...CALM, repetitionPenalty: 1.15 },
      turnMarks: ['<|user|>', '<|system|>', '<|assistant|>'],
    },
  }
}

/** Twice as fast on two cores as on one, little faster on more than four. Where there are more, the server keeps one. */
function modelThreads(cores: number): number {
  return Math.max(Math.min(2, cores), Math.min(4, cores - 1))
}

function miniMind(): EmbeddedChatModel {
  return {
    name: 'minimind2-small',
    options: {
      contextTokens: 2048,
      sequences: PARALLEL_REQUESTS,
      // So small that threads wait for each other longer than they work: one is four times as fast as two.
      threads: 1,
      defaults: { ...CALM, repetitionPenalty: 1.1 },
      turnMarks: [],
    },
  }
}
