import type { EmbeddedEntry } from '@/lib/services/engines/embedded/models'

export type EmbeddedImageEntry = EmbeddedEntry &
  (
    | { type: 'upscale'; pricing: { upscale: Record<'2x' | '4x', { usd: number }> } }
    | {
        type: 'inpaint'
        constraints: {
          aspectRatios: string[]
          promptCharacterLimit: number
          combineImages: boolean
          maxInputImages: number
        }
        pricing: { inpaint: { usd: number } }
      }
  )

const COMMON = {
  engine: 'embedded',
  tier: 'XS',
  access: 'everyone',
  privacy: 'private',
  traits: [],
} satisfies Partial<EmbeddedEntry>

const UPSCALE: EmbeddedImageEntry = {
  ...COMMON,
  type: 'upscale',
  id: 'esrgan-slim',
  name: 'ESRGAN Slim',
  description:
    'A small network that enlarges pictures two or four times inside this server, without a network connection. ' +
    'Sharper edges than interpolation; it adds no detail that is not there.',
  upstreamModel: 'esrgan-slim',
  created: 1_662_768_000,
  pricing: { upscale: { '2x': { usd: 0.001 }, '4x': { usd: 0.004 } } },
}

const INPAINT: EmbeddedImageEntry = {
  ...COMMON,
  type: 'inpaint',
  traits: ['object_removal'],
  id: 'mi-gan',
  name: 'MI-GAN',
  description:
    'A small network that erases objects: it fills the transparent parts of an image to match what is around them, ' +
    'inside this server. It does not read the prompt and adds nothing new.',
  upstreamModel: 'mi-gan',
  created: 1_696_118_400,
  constraints: { aspectRatios: ['auto'], promptCharacterLimit: 32_768, combineImages: false, maxInputImages: 1 },
  pricing: { inpaint: { usd: 0.002 } },
}

/** The embedded models that change pictures. The lean profile has the one of two megabytes. */
export function imageEntries(profile: 'standard' | 'lean'): EmbeddedImageEntry[] {
  return profile === 'lean' ? [UPSCALE] : [UPSCALE, INPAINT]
}
