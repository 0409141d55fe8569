/** A model of the scripted server that can do everything: what reaches it shows what a field does. */
export const ABLE = {
  id: 'able',
  type: 'text',
  engine: 'say',
  upstreamModel: 'say',
  contextTokens: 128_000,
  maxCompletionTokens: 8_192,
  capabilities: {
    supportsFunctionCalling: true,
    supportsResponseSchema: true,
    supportsVision: true,
    supportsMultipleImages: true,
    supportsAudioInput: true,
    supportsVideoInput: true,
    supportsLogProbs: true,
    supportsReasoning: true,
    reasoningEffortOptions: ['none', 'low', 'high'],
    supportsXSearch: true,
  },
  pricing: { input: { usd: 1 }, output: { usd: 2 } },
  tier: 'XS',
}

/** One that takes text only, and nobody reads for it. */
export const BLIND = {
  ...ABLE,
  id: 'blind',
  capabilities: { supportsFunctionCalling: false, supportsWebSearch: false },
}

/** The embedded models, as a models file names them. */
export const EMBEDDED = [
  {
    id: 'small',
    type: 'text',
    engine: 'embedded',
    upstreamModel: 'minimind2-small',
    contextTokens: 2_048,
    maxCompletionTokens: 1_024,
    capabilities: { supportsFunctionCalling: true, supportsResponseSchema: true, supportsLogProbs: true },
    assist: { vision: 'reader', audio: 'listener' },
    pricing: { input: { usd: 0.02 }, output: { usd: 0.04 } },
    tier: 'XS',
  },
  {
    id: 'reader',
    type: 'text',
    engine: 'embedded',
    upstreamModel: 'image-reader',
    contextTokens: 8_192,
    capabilities: { supportsVision: true, supportsMultipleImages: true, supportsWebSearch: false },
    pricing: { input: { usd: 0.05 }, output: { usd: 0.1 } },
    tier: 'XS',
  },
  {
    id: 'listener',
    type: 'asr',
    engine: 'embedded',
    upstreamModel: 'moonshine-tiny',
    pricing: { per_audio_second: { usd: 0.0001 } },
    tier: 'XS',
  },
]

/** The scripted server's own model with the embedded readers beside it: what they read shows in what it gets. */
export const ASSISTED = {
  ...ABLE,
  id: 'assisted',
  capabilities: { supportsFunctionCalling: true, supportsResponseSchema: true },
  assist: { vision: 'reader', audio: 'listener' },
}
