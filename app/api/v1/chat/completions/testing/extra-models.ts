const text = {
  type: 'text',
  tier: 'XS',
  engine: 'house',
  contextTokens: 16_000,
  maxCompletionTokens: 64,
}
const pricing = { input: { usd: 1 }, output: { usd: 3 } }
const dear = { input: { usd: 1000 }, output: { usd: 1000 } }
const model = (id: string, capabilities: Record<string, boolean>, more: Record<string, unknown> = {}) => ({
  ...text,
  id,
  name: id,
  upstreamModel: `up-${id}`,
  capabilities,
  ...more,
})

/** Models that search, see and hear, and models that have it done for them. */
export const EXTRA_MODELS = [
  model('surfer', { supportsWebSearch: true, supportsFunctionCalling: true }, { pricing }),
  model('drifter', { supportsWebSearch: true }),
  model('yacht', { supportsWebSearch: true, supportsFunctionCalling: true }, { pricing: dear }),
  model(
    'narrow',
    { supportsWebSearch: true, supportsFunctionCalling: true },
    { pricing, contextTokens: 1_500, maxCompletionTokens: 1_400 },
  ),
  model('vendor', { supportsWebSearch: true, supportsXSearch: true }, { pricing }),
  model('stranded', { supportsWebSearch: true, supportsFunctionCalling: true }, { engine: 'gone', pricing }),
  model(
    'tugged',
    { supportsWebSearch: true, supportsFunctionCalling: true },
    { engine: 'gone', pricing: dear, fallbacks: ['surfer'] },
  ),
  model('fickle', { supportsWebSearch: true, supportsFunctionCalling: true }, { pricing: dear, fallbacks: ['surfer'] }),
  model('seer', { supportsVision: true }, { pricing }),
  model('gallery', { supportsVision: true, supportsMultipleImages: true }, { pricing }),
  model(
    'opener',
    { supportsVision: true, supportsVideoInput: true },
    { pricing, contextTokens: 200_000, videoSites: ['films.example'] },
  ),
  model('listener', { supportsAudioInput: true }, { pricing }),
  model('reader', { supportsVision: true }, { pricing: { input: { usd: 2 }, output: { usd: 4 } } }),
  model('gold-reader', { supportsVision: true }, { pricing: dear }),
  model('helped', {}, { pricing, assist: { vision: 'reader' } }),
  model('helped-free', {}, { assist: { vision: 'reader' } }),
  model('helped-dearly', {}, { pricing, assist: { vision: 'gold-reader' } }),
  model('blind', { supportsWebSearch: false }, { pricing }),
  model('small', {}, { pricing, contextTokens: 1_000 }),
]
