/* What both sides of the kernel port share: releasing what a read gave. */
#include "kernel/kernel.h"

void kernel_vss_fini(struct kernel_vss *p)
{
	free(p->rows.v);
	*p = (struct kernel_vss){ 0 };
}

void kernel_rss_fini(struct kernel_rss *p)
{
	free(p->rows.v);
	*p = (struct kernel_rss){ 0 };
}

void kernel_ips_fini(struct kernel_ips *p)
{
	free(p->rows.v);
	*p = (struct kernel_ips){ 0 };
}

void kernel_filter_fini(struct kernel_filter *p)
{
	free(p->guarded.v);
	free(p->served.v);
	free(p->pinged.v);
	*p = (struct kernel_filter){ 0 };
}

void kernel_flows_fini(struct kernel_flows *p)
{
	free(p->rows.v);
	*p = (struct kernel_flows){ 0 };
}
