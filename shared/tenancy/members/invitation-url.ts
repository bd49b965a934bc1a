/**
 * Returns the link with which an invitation opens in the console. The token is in the fragment, which browsers do not
 * send, so no server logs it.
 */
export const toInvitationUrl = (baseUrl: string, token: string): string => `${baseUrl}/console#invitation=${token}`;
