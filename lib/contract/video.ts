/** Source: API contract, video.md, `face_media_roles`. */
export const MEDIA_ROLES = ['image', 'end_image', 'reference_image', 'video', 'reference_video'] as const
export type MediaRole = (typeof MEDIA_ROLES)[number]
