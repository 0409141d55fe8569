/** Source: API contract, README 4 and 5. */
export const SECURITY_SCHEMES = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'API key of any type: `Authorization: Bearer <key>`. Create keys at `/keys`.',
  },
  adminKey: { type: 'http', scheme: 'bearer', description: 'API key of type ADMIN: `Authorization: Bearer <key>`.' },
  wallet: {
    type: 'apiKey',
    in: 'header',
    name: 'SIGN-IN-WITH-X',
    description:
      'Base64-encoded JSON `{ address, message, signature, chainId, timestamp }`: a sign-in message (EIP-4361, or its Solana form) for this service, signed within the last five minutes. Each proof is valid for one request that spends credit. `X-Sign-In-With-X` is the legacy name. A request without credentials returns 402 with a challenge to sign.',
  },
  payment: {
    type: 'apiKey',
    in: 'header',
    name: 'PAYMENT-SIGNATURE',
    description:
      'Signed x402 payment as base64-encoded JSON: it tops up the payer, whose request is then served. `X-402-Payment` and `X-PAYMENT` are legacy names. Operators can disable this header; `POST /x402/top-up` always accepts payments.',
  },
}
