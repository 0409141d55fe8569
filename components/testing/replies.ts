import type { AdminModels } from '@/lib/contract/admin-models.schema'
import type { SessionReply } from '@/lib/contract/session'

/** A model that suits the machine. */
export const SUGGESTED_MODEL: AdminModels['suggestions'][number] = {
  source: 'hf:Qwen/Qwen3-1.7B-GGUF:Q8_0',
  name: 'Qwen3 1.7B',
  parameters: 1.7,
  sizeBytes: 1_800_000_000,
  memoryBytes: 2_500_000_000,
  contextTokens: 8_192,
  license: 'apache-2.0',
  quantization: 'Q8_0',
  strengths: ['chat', 'tools'],
  fits: 'well',
  estimatedTokensPerSecond: 14.23,
  isInstalled: false,
}
/** The only model that is installed. */
export const INSTALLED_MODEL: AdminModels['installed'][number] = {
  id: 'tiny-q8_0',
  name: 'Tiny',
  source: 'hf:tiny/tiny-GGUF',
  quantization: 'Q8_0',
  sizeBytes: 400_000_000,
  contextTokens: 4_096,
  trainedContextTokens: 8_192,
  callsTools: true,
  thinks: false,
  seesImages: true,
  isOffered: true,
  isDefault: true,
  isVerified: true,
  installedAt: '2026-11-26T00:00:00Z',
}
/** What the service says to an operator of the models that run inside it. */
export const ADMIN_MODELS: AdminModels = {
  isAvailable: true,
  hub: { endpoint: 'https://huggingface.co', hasToken: false },
  machine: {
    memoryBytes: 16_000_000_000,
    freeDiskBytes: 100_000_000_000,
    cores: 8,
    processor: 'AVX2',
    folder: '/data',
  },
  suggestions: [SUGGESTED_MODEL, { ...SUGGESTED_MODEL, source: 'hf:big', name: 'Big', fits: 'no' }],
  installed: [INSTALLED_MODEL],
  downloads: [],
}

/** What a service on test chains says to a guest with one dollar of credit. */
export const GUEST_SESSION: SessionReply = {
  session: {
    id: 's',
    kind: 'guest',
    address: null,
    family: null,
    balanceUsd: 1,
    balanceDiem: 0,
    expiresAt: '2099-01-01T00:00:00Z',
    sandbox: true,
  },
  service: {
    sandbox: true,
    wallets: 'test',
    guests: true,
    rails: [],
    staking: false,
    version: '1.0.0',
    operator: { name: null, url: null },
    sourceUrl: null,
  },
  preparation: null,
}
