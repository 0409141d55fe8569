const text = {
  type: 'text',
  tier: 'XS',
  engine: 'house',
  upstreamModel: 'up',
  contextTokens: 4096,
  maxCompletionTokens: 64,
}
const pricing = { input: { usd: 1 }, output: { usd: 3 }, cache_input: { usd: 0.25 } }
const capabilities = {
  supportsFunctionCalling: true,
  supportsResponseSchema: true,
  supportsLogProbs: true,
  supportsReasoning: true,
}
const GONE = 'http://127.0.0.1:9/v1'

/** A models file with one model for each case of a chat request. `house` answers; nobody listens where `gone` is. */
export function modelsFile(
  upstreamUrl: string,
  more: Record<string, unknown>[] = [],
  engines: Record<string, unknown> = {},
) {
  return {
    engines: {
      ...engines,
      house: {
        kind: 'openai',
        baseUrls: [upstreamUrl],
        // Enough for forty at once on a busy machine.
        timeouts: { connectMs: 5_000, firstTokenMs: 2_500, idleMs: 2_500, wholeMs: 2_500 },
        promptLogprobs: true,
      },
      gone: { kind: 'openai', baseUrls: [GONE], timeouts: { connectMs: 200, firstTokenMs: 500, idleMs: 500 } },
    },
    models: [
      {
        ...text,
        id: 'atlas',
        name: 'Atlas',
        upstreamModel: 'up-atlas',
        pricing,
        capabilities,
        traits: ['default'],
        aliases: ['gpt-4o'],
      },
      { ...text, id: 'plain', name: 'Plain', pricing, tier: 'L' },
      {
        ...text,
        id: 'long',
        name: 'Long',
        pricing: { input: { usd: 1 }, output: { usd: 20 } },
        maxCompletionTokens: 10_000,
        contextTokens: 32_000,
      },
      { ...text, id: 'dear', name: 'Dear', pricing: { input: { usd: 1000 }, output: { usd: 1000 } } },
      { ...text, id: 'free', name: 'Free' },
      { ...text, id: 'pro', name: 'Pro', pricing, access: 'pro' },
      { ...text, id: 'cautious', name: 'Cautious', engine: 'gone', pricing, fallbacks: ['atlas'] },
      { ...text, id: 'broken', name: 'Broken', engine: 'gone', pricing },
      { ...text, id: 'old', name: 'Old', pricing, deprecation: retired('2020-01-01', true) },
      { ...text, id: 'leaving', name: 'Leaving', pricing, deprecation: retired('2999-01-31', false) },
      { ...text, id: 'retired', name: 'Retired', pricing, deprecation: retired('2020-01-01', false) },
      ...more,
    ],
  }
}

const retired = (date: string, autoRemap: boolean) => ({ date, replacement: 'atlas', autoRemap })
