import type { ConnectedProvider, OfferedModel, ProvidersReply } from '@/lib/contract/providers'

/** Servers that the product knows by name. */
export const PRESETS: ProvidersReply['presets'] = [
  {
    id: 'openrouter',
    name: 'OpenRouter',
    address: 'https://openrouter.ai/api/v1',
    key: 'required',
    keyUrl: 'https://openrouter.ai/settings/keys',
    makes: 'text',
  },
  { id: 'ollama', name: 'Ollama', address: 'http://127.0.0.1:11434/v1', key: 'optional', makes: 'text' },
  { id: 'comfyui', name: 'ComfyUI', address: 'http://127.0.0.1:8188', key: 'none', makes: 'images' },
]
/** A model that a server offers. */
export const CODER: OfferedModel = {
  upstreamModel: 'qwen/qwen3-coder',
  name: 'Qwen3 Coder',
  type: 'text',
  contextTokens: 262_144,
  capabilities: { supportsFunctionCalling: true },
  cost: { input: 0.2, output: 0.85 },
}
/** A connected provider of it. */
export const PROVIDER: ConnectedProvider = {
  name: 'openrouter',
  preset: 'openrouter',
  address: 'https://openrouter.ai/api/v1',
  keyLast4: '6789',
  marginPercent: 20,
  isPaused: false,
  acceptsTestCredit: false,
  refusesTestCredit: true,
  createdAt: '2026-11-26T00:00:00Z',
  models: [
    {
      ...CODER,
      id: 'openrouter/qwen/qwen3-coder',
      state: 'live',
      isDefault: false,
      prices: { input: 0.24, output: 1.02 },
    },
  ],
}
