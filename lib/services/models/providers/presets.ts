import type { OfferedModel, ProviderPreset } from '@/lib/contract/providers'
import type { EngineDefinition } from '@/lib/services/models/models-file'

/** The form in which a server lists its models. */
export type ListForm =
  | 'openai'
  | 'anthropic'
  | 'google'
  | 'xai'
  | 'ollama'
  | 'lm-studio'
  | 'comfyui'
  | 'webui'
  | 'predictions'

export type Preset = ProviderPreset & {
  lists: ListForm
  engine: Omit<EngineDefinition, 'baseUrls' | 'apiKey'>
  /** Serves videos in a form that is spoken here. */
  hasVideos?: true
  /** What its chat models have in common, where its list has names only. */
  usual?: Pick<OfferedModel, 'capabilities'> & { contextTokens?: (id: string) => number | undefined }
}

const OPENAI = { kind: 'openai' } as const
/** Vendors refuse the templates' switch, which is a field of local servers. */
const BY_EFFORT = { thinkingSwitch: 'reasoning_effort' } as const
const TOOLS = { supportsFunctionCalling: true, supportsResponseSchema: true } as const

/** Sizes of OpenAI's contexts by the start of a name; its list does not tell them. Source: platform.openai.com/docs/models. */
const OPENAI_CONTEXTS: readonly [start: RegExp, tokens: number][] = [
  [/^gpt-4\.1/, 1_047_576],
  [/^(gpt-4o|gpt-4-turbo|chatgpt-4o|gpt-\d[\d.]*-chat)/, 128_000],
  [/^gpt-3\.5/, 16_385],
  [/^gpt-4(-\d|$)/, 8_192],
  [/^o\d/, 200_000],
  [/^gpt-5/, 400_000],
]

type More = Partial<Pick<Preset, 'key' | 'lists' | 'usual' | 'hasVideos' | 'makes'>> & {
  engine?: Partial<Preset['engine']>
}

const hosted = (id: string, name: string, address: string, keyUrl: string, more: More = {}): Preset => ({
  ...local(id, name, address, { key: 'required', ...more }),
  keyUrl,
})

const local = (id: string, name: string, address: string, { engine, ...more }: More = {}): Preset => ({
  id,
  name,
  address,
  key: 'optional',
  makes: 'text',
  lists: 'openai',
  engine: { ...OPENAI, ...engine },
  ...more,
})

export const PRESETS: readonly Preset[] = [
  hosted('openai', 'OpenAI', 'https://api.openai.com/v1', 'https://platform.openai.com/api-keys', {
    engine: { ...OPENAI, ...BY_EFFORT, maxTokensField: 'max_completion_tokens' },
    hasVideos: true,
    usual: {
      capabilities: { ...TOOLS, supportsVision: true },
      contextTokens: (id) => OPENAI_CONTEXTS.find(([start]) => start.test(id))?.[1],
    },
  }),
  hosted('anthropic', 'Anthropic', 'https://api.anthropic.com/v1', 'https://console.anthropic.com/settings/keys', {
    lists: 'anthropic',
    engine: { kind: 'anthropic' },
  }),
  hosted('google', 'Google', 'https://generativelanguage.googleapis.com/v1beta', 'https://aistudio.google.com/apikey', {
    lists: 'google',
    engine: { kind: 'google' },
  }),
  hosted('mistral', 'Mistral', 'https://api.mistral.ai/v1', 'https://console.mistral.ai/api-keys', {
    engine: BY_EFFORT,
  }),
  hosted('xai', 'xAI', 'https://api.x.ai/v1', 'https://console.x.ai', { lists: 'xai', engine: BY_EFFORT }),
  hosted('deepseek', 'DeepSeek', 'https://api.deepseek.com/v1', 'https://platform.deepseek.com/api_keys', {
    engine: BY_EFFORT,
    usual: { capabilities: { supportsFunctionCalling: true }, contextTokens: () => 128_000 },
  }),
  hosted('groq', 'Groq', 'https://api.groq.com/openai/v1', 'https://console.groq.com/keys', {
    engine: BY_EFFORT,
    usual: { capabilities: { supportsFunctionCalling: true } },
  }),
  hosted('together', 'Together AI', 'https://api.together.xyz/v1', 'https://api.together.ai/settings/api-keys'),
  hosted(
    'fireworks',
    'Fireworks AI',
    'https://api.fireworks.ai/inference/v1',
    'https://app.fireworks.ai/settings/users/api-keys',
    { engine: BY_EFFORT },
  ),
  hosted('openrouter', 'OpenRouter', 'https://openrouter.ai/api/v1', 'https://openrouter.ai/settings/keys', {
    engine: BY_EFFORT,
  }),
  hosted('replicate', 'Replicate', 'https://api.replicate.com/v1', 'https://replicate.com/account/api-tokens', {
    lists: 'predictions',
    engine: { jobStyle: 'predictions' },
    hasVideos: true,
    makes: 'videos',
  }),
  local('ollama', 'Ollama', 'http://127.0.0.1:11434/v1', { lists: 'ollama', engine: BY_EFFORT }),
  local('lm-studio', 'LM Studio', 'http://127.0.0.1:1234/v1', { lists: 'lm-studio' }),
  local('llama-cpp', 'llama.cpp', 'http://127.0.0.1:8080/v1'),
  local('vllm', 'vLLM', 'http://127.0.0.1:8000/v1', { hasVideos: true }),
  local('sglang', 'SGLang', 'http://127.0.0.1:30000/v1', { hasVideos: true }),
  local('comfyui', 'ComfyUI', 'http://127.0.0.1:8188', {
    lists: 'comfyui',
    engine: { imageStyle: 'comfyui', timeouts: { firstTokenMs: 300_000 } },
    key: 'none',
    makes: 'images',
  }),
  local('sd-webui', 'Stable Diffusion WebUI', 'http://127.0.0.1:7860', {
    lists: 'webui',
    engine: { imageStyle: 'webui', timeouts: { firstTokenMs: 300_000 } },
    key: 'none',
    makes: 'images',
  }),
]

const BY_ID = new Map(PRESETS.map((preset) => [preset.id, preset]))
const BY_HOST = new Map(PRESETS.filter(({ keyUrl }) => keyUrl).map((preset) => [new URL(preset.address).host, preset]))

export const presetOf = (id: string): Preset | undefined => BY_ID.get(id)

/** Finds the vendor of an address: who pastes the address of a known one need not pick it. */
export const presetAt = (address: string): Preset | undefined => BY_HOST.get(new URL(address).host)

export const shownPresets = (): ProviderPreset[] =>
  PRESETS.map(({ id, name, address, key, keyUrl, makes }) => ({ id, name, address, key, keyUrl, makes }))

/** A server that no preset describes: the compatible form, which nearly all of them have. */
export const OTHER: Pick<Preset, 'lists' | 'engine'> = { lists: 'openai', engine: OPENAI }

/** Whether the videos of a server can be had: vendors that serve them in a form of their own are known. */
export const speaksVideo = (preset: Preset | undefined): boolean => preset === undefined || preset.hasVideos === true
