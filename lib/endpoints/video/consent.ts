import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import type { MediaRole } from '@/lib/contract/models'
import type { ConsentNeeded, VideoQueueRequest } from '@/lib/contract/video.schema'
import type { VideoPart } from '@/lib/services/models/type-parts'

/**
 * Rejects media that may show faces until the caller has confirmed what the model's operator requires. Nothing detects
 * faces: media of these roles always need it. @throws ApiError needs_consent. Source: API contract, video.md, "409
 * body".
 */
export function assertConsent(body: VideoQueueRequest, { consent }: VideoPart): void {
  if (!consent) return
  const roles = consent.roles.filter((role) => holds(body, role))
  if (roles.length === 0 || isConfirmed(body, consent.flow)) return
  const message = `This model needs a confirmation for media that may show people. Show the policy, and send the same request with \`consents.${consent.flow}\`.`
  const needed: ConsentNeeded = {
    error: { code: 'needs_consent', message },
    consent_flow: consent.flow,
    face_media_roles: roles,
    consent: { consent_version: consent.version, policy_text: consent.text },
    docs_url: consent.url,
  }
  throw new ApiError('needs_consent', message, { body: needed })
}

function holds(body: VideoQueueRequest, role: MediaRole): boolean {
  const elements = body.elements ?? []
  switch (role) {
    case 'image':
      return body.image_url !== undefined
    case 'end_image':
      return body.end_image_url !== undefined
    case 'video':
      return body.video_url !== undefined
    case 'reference_image':
      return (
        isAny(body.reference_image_urls) ||
        isAny(body.scene_image_urls) ||
        elements.some((one) => one.frontal_image_url !== undefined || isAny(one.reference_image_urls))
      )
    case 'reference_video':
      return isAny(body.reference_video_urls) || elements.some((one) => one.video_url !== undefined)
  }
}

const isAny = (urls: string[] = []): boolean => urls.length > 0

function isConfirmed({ consents = {} }: VideoQueueRequest, flow: string): boolean {
  if (!Object.hasOwn(consents, flow)) return false
  const consent = consents[flow]
  return Boolean(
    consent?.confirmed_terms_and_privacy && consent.confirmed_legal_right && consent.confirmed_screening_acknowledged,
  )
}
