export const DEFAULT_SERVICE_NAME = 'Lagoon'

/** The name of the service. The build writes it into the browser's files; a start with another name builds anew. */
export const SERVICE_NAME = process.env.SERVICE_NAME || DEFAULT_SERVICE_NAME
